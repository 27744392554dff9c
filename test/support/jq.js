// The program `jq OPTIONS FILTER`, so that the documents' scripts run on a machine without jq.
import { readFileSync } from 'node:fs';
import { raw } from 'jq-wasm';

const words = process.argv.slice(2);
const filter = words.pop() ?? '.';
try {
  process.stdout.write(`${await raw(readFileSync(0, 'utf8'), filter, words)}\n`);
} catch (error) {
  process.stderr.write(`jq: ${String(error)}\n`);
  process.exitCode = 5;
}
