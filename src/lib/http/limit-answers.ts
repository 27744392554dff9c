// What a client counts of an answer is its body. A server can also send interim responses, blank lines, a reason or a chunk extension
// without end, of which an HTTP client keeps nothing but spends its process's time, which others need.
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** The code of the error for an answer that is larger than `bytesMax`. */
export const ANSWER_TOO_LARGE = 'ERR_ANSWER_TOO_LARGE';

/** For everything of an answer but its content: what is repeated for each chunk, and headers, of which the client takes 16 KB. */
const OVERHEAD_BYTES_MAX = 64 * 1024;

/**
 * Ends a connection on which more bytes arrive for one request than its answer may have.
 *
 * @param bytesMax of the content of an answer
 */
export const limitAnswers =
  (connect: buildConnector.connector, bytesMax: number): buildConnector.connector =>
  (target, callback) => {
    connect(target, (...connected: Parameters<buildConnector.Callback>) => {
      // Without one, undici leaves the socket out instead of passing null.
      const [, socket = null] = connected as [error: Error | null, socket?: Socket | null];
      if (socket !== null) endAfter(socket, bytesMax + OVERHEAD_BYTES_MAX);
      callback(...connected);
    });
  };

function endAfter(socket: Socket, bytesMax: number): void {
  let written = socket.bytesWritten;
  let read = socket.bytesRead;
  let readBefore = read;
  socket.on('readable', () => {
    // Another request has been sent, whose answer begins here.
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      readBefore = read;
    }
    read = socket.bytesRead;
    if (read - readBefore <= bytesMax) return;
    socket.destroy(Object.assign(new Error(`the answer is larger than ${bytesMax} bytes`), { code: ANSWER_TOO_LARGE }));
  });
}
