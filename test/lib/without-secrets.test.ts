import { describe, expect, test } from 'vitest';
import { withoutSecrets } from '../../src/lib/without-secrets.ts';

const hex = (length: number): string => '0a1b2c3d4e5f6789'.repeat(5).slice(0, length);
const mixed = (length: number): string => 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7'.repeat(4).slice(0, length);
const uuid = '1f0e1d2c-3b4a-4958-8776-655443322110';
const awsSecret = `wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY`;
const pem = `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n${mixed(64)}\n${mixed(20)}==\n`;

describe('a credential is not shown', () => {
  test.each([
    ['of the email service', `so_live_${mixed(20)}`],
    ['that signs webhooks', `whsec_${mixed(30)}+/==`],
    ['of Resend', `re_${mixed(8)}_${mixed(24)}`],
    ['of Resend, a short one', 're_123456789'],
    ['of SendGrid', `SG.${mixed(22)}.${mixed(43)}`],
    ['of Brevo', `xkeysib-${hex(64)}-${mixed(16)}`],
    ['of MailerSend', `mlsn.${hex(64)}`],
    ['of Mailgun', `key-${hex(32)}`],
    ['of Mailchimp', `${hex(32)}-us21`],
    ['of AWS', `AKIAIOSFODNN7EXAMPLE`],
    ['of an AWS session', `ASIAIOSFODNN7EXAMPLE`],
    ['of AWS, its secret part', awsSecret],
    ['of AWS, its session token', `IQoJb3JpZ2luX2VjE${mixed(90)}/+${mixed(90)}==`],
    ['of Stripe', `sk_live_${mixed(24)}`],
    ['of Stripe, restricted', `rk_test_${mixed(24)}`],
    ['of Twilio', `SK${hex(32)}`],
    ['of GitHub', `ghp_${mixed(36)}`],
    ['of GitHub, fine-grained', `github_pat_${mixed(22)}_${mixed(59)}`],
    ['of GitLab', `glpat-${mixed(20)}`],
    ['of GitLab, of a trigger', `glptt-${hex(40)}`],
    ['of Slack', `xoxb-${hex(12)}-${mixed(24)}`],
    ['of PyPI', `pypi-AgEIcHlwaS5vcmc${mixed(60)}`],
    ['of DigitalOcean', `dop_v1_${hex(64)}`],
    ['of Shopify', `shpat_${hex(32)}`],
    ['of Hugging Face', `hf_${mixed(34)}`],
    ['of Atlassian', `ATATT3xFfGF0${mixed(60)}`],
    ['of Linear', `lin_api_${mixed(40)}`],
    ['of OpenAI, an older one', `sk-${mixed(48)}`],
    ['of age', `AGE-SECRET-KEY-1${'Q9PZRY8X'.repeat(7)}`],
    ['of npm', `npm_${mixed(36)}`],
    ['of Google', `AIza${mixed(35)}`],
    ['of Google OAuth', `ya29.${mixed(40)}`],
    ['that is a JWT', `eyJ${mixed(20)}.eyJ${mixed(30)}.${mixed(43)}`],
    ['in a PEM key', `${pem}-----END RSA PRIVATE KEY-----`],
    ['in a PEM key without its last line', pem],
  ])('%s', (_, secret) => {
    for (const around of [secret, `refused ${secret}, again`, `"${secret}"`, `(${secret})`, `key ${secret}\nnext`]) {
      const shown = withoutSecrets(around);
      expect(shown).toContain('[secret]');
      expect(shown).not.toContain(secret.slice(8, 24));
      expect(withoutSecrets(JSON.stringify({ around }))).not.toContain(secret.slice(8, 24));
    }
  });

  test.each([
    ['Authorization: Bearer hunter2x', 'Authorization: [secret]'],
    ['sent Bearer opaque-operator-token', 'sent Bearer [secret]'],
    ['Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic [secret]'],
    ['curl -H "Basic dXNlcjpwYXNz"', 'curl -H "Basic [secret]"'],
    [`X-Postmark-Server-Token: ${uuid}`, 'X-Postmark-Server-Token: [secret]'],
    [`{"ApiTokens":["${uuid}","${uuid}"],"ID":1}`, '{"ApiTokens":["[secret]"],"ID":1}'],
    [`The server token ${uuid} is wrong`, 'The server token [secret] is wrong'],
    [`x-api-key:${uuid}`, 'x-api-key:[secret]'],
    ['AccountName=a;AccountKey=c2VjcmV0c2VjcmV0;E=x', 'AccountName=a;AccountKey=[secret];E=x'],
    [`https://hooks.slack.com/services/T00000000/B00000000/${mixed(24)}`, 'https://hooks.slack.com/services/[secret]'],
    ['password=hunter', 'password=[secret]'],
    [`aws_secret_access_key = ${awsSecret}`, 'aws_secret_access_key = [secret]'],
    ['{"client_secret":"h","id":1}', '{"client_secret":"[secret]","id":1}'],
    ['{"token": "a\\"b", "x": 2}', '{"token": "[secret]", "x": 2}'],
    ['postgres://sendoff:hunter2@db.example.com/sendoff', 'postgres://sendoff:[secret]@db.example.com/sendoff'],
    ['smtps://user:p@ss@relay.example.com', 'smtps://user:[secret]@relay.example.com'],
    [`https://${mixed(30)}@sentry.example.com/1`, 'https://[secret]@sentry.example.com/1'],
    ['GET https://api.example.com/v1/keys?sig=abc&x=1 failed', 'GET https://api.example.com/v1/keys?[query] failed'],
    [`https://sendoff.example.com/setup/${mixed(43)}`, 'https://sendoff.example.com/setup/[secret]'],
  ])('in %s', (text, shown) => {
    expect(withoutSecrets(text)).toBe(shown);
  });
});

describe('what operators need stays', () => {
  test.each([
    'onboarding/acme/run 0198f1c2-8f4e-7a3c-9d55-1b2c3d4e5f60 failed',
    'dom_01kavd3xyz8e9v2mhm1c0qk6rt req_01kavd3xyz8e9v2mhm1c0qk6rt evt_54c10866-59a0-4c4c-a7d9-4af2b0b1b1b4',
    'whk_2 key_1 snd_4 eml_5 re_registered_domain pre_registered',
    '{"keyId":"key_01kavd3xyz8e9v2mhm1c0qk6rt","tokenRef":"onboarding/acme/api-key","apiTokenName":"backend"}',
    '{"token":null,"secret":true,"password":12}',
    'POST /domains: 422 validation_failed: name must be a domain',
    'commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad of branch main',
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
    'v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA1234567890',
    'k1._domainkey.acme.com CNAME k1.dkim.example.com',
    'The token is invalid. Send Authorization: Bearer with the API token',
    'Basic Authentication is not supported, nor is Bearer authentication',
    'token: expected a string; secret: not set; SENDOFF_API_TOKEN is not set',
    'WWW-Authenticate: Bearer realm="sendoff", error="invalid_token"',
    'TypeError: token === undefined, password => hash(password)',
    'connect ECONNREFUSED 127.0.0.1:5432',
    'git clone ssh://git@github.com/acme/api.git',
    'https://example.com/a/b#c http://127.0.0.1:8080/onboardings/acme',
    'GET /onboardings/AcmeGmbH2024?limit=3',
  ])('%s', (text) => {
    expect(withoutSecrets(text)).toBe(text);
  });
});

test('JSON stays JSON, whatever is beside a credential', () => {
  const parts = [
    '"',
    '\\',
    '\n',
    'token',
    '=',
    ':',
    ' ',
    'abcdef1',
    '\\"',
    "'",
    'password',
    '://u:',
    '@',
    '-----BEGIN A-----',
    '?',
    ']',
    '}',
    ',',
    '\u0007',
  ];
  let seed = 7;
  const next = (): string => parts[(seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % parts.length] ?? '';
  for (let round = 0; round < 20_000; round += 1) {
    const text = Array.from({ length: 8 }, next).join('');
    const line = JSON.stringify({
      [text]: text,
      inner: JSON.stringify({ [text]: text, token: text }),
      list: [text],
      number: 1,
    });
    try {
      JSON.parse(withoutSecrets(line));
    } catch {
      expect.fail(line);
    }
  }
});
