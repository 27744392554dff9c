interface Beginning {
  readonly bytes: Buffer;
  readonly truncated: boolean;
}

/** At most so many bytes of a body. If it has more, the rest is not read, and its connection is ended. */
export async function readBeginning(body: AsyncIterable<Buffer>, bytesMax: number): Promise<Beginning> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop destroys the body.
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > bytesMax) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, bytesMax), truncated: size > bytesMax };
}
