/** Takes one line, without a line feed, that tells the user what is being done. */
export type Report = (line: string) => void;
