import { describe, expect, test } from 'vitest';
import { parseSmtpReply } from '../../../src/email-service/delivery/smtp-reply.ts';

describe('an SMTP reply', () => {
  test.each([
    ['550 5.1.1 No such user', { replyCode: 550, enhancedCode: '5.1.1', text: 'No such user' }],
    ['550-5.1.1 No such\r\n550 5.1.1 user here', { replyCode: 550, enhancedCode: '5.1.1', text: 'No such user here' }],
    ['421 Try again', { replyCode: 421, enhancedCode: undefined, text: 'Try again' }],
    ['250Ok', { replyCode: 250, enhancedCode: undefined, text: 'Ok' }],
    ['250\tok', { replyCode: 250, enhancedCode: undefined, text: 'ok' }],
    ['250', { replyCode: 250, enhancedCode: undefined, text: '' }],
    ['250 5.1 is no enhanced code', { replyCode: 250, enhancedCode: undefined, text: '5.1 is no enhanced code' }],
    ['550 5.7.1', { replyCode: 550, enhancedCode: '5.7.1', text: '' }],
  ])('%j is parsed', (response, reply) => {
    expect(parseSmtpReply(response)).toEqual(reply);
  });

  test('contains no terminal escapes', () => {
    expect(parseSmtpReply('550 \u001b[31mred\u0007')?.text).toBe('[31mred');
  });

  test('is cut to a readable length', () => {
    expect(parseSmtpReply(`550 ${'x'.repeat(100_000)}`)?.text).toHaveLength(1_000);
  });

  test.each(['', 'hello', '99 what', '999 what'])('%j is none', (response) => {
    expect(parseSmtpReply(response)).toBeUndefined();
  });
});
