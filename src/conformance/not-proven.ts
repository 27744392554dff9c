/** What a case needs cannot be had at this target. */
export class NotProven extends Error {
  override readonly name = 'NotProven';
}
