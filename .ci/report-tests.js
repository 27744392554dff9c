// report-tests.js RESULTS [--failed-files]: what Vitest's JSON report says, in a few lines; exit code 1 unless every test ran and passed.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const [, , report, option] = process.argv;
const { testResults, numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'));
const failed = testResults.filter(({ status }) => status === 'failed');
const fileOf = ({ name }) => relative(process.cwd(), name);

if (option === '--failed-files') {
  for (const file of new Set(failed.map(fileOf))) console.log(file);
} else {
  for (const file of failed) {
    console.log(`✖ ${fileOf(file)}`, firstLines(file.message));
    for (const test of file.assertionResults.filter(({ status }) => status === 'failed')) {
      console.log(`  ✖ ${test.fullName}\n    ${firstLines(test.failureMessages.join('\n'))}`);
    }
  }
  console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`);
  if (numPassedTests === 0 || failed.length > 0 || numPendingTests > 0) process.exitCode = 1;
}

function firstLines(text = '') {
  return text.split('\n').slice(0, 12).join('\n    ').slice(0, 1_500);
}
