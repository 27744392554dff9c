/** The parser of a setting: one secret of Standard Webhooks, or the new and the old one. */
export function signingSecrets(value: string): readonly string[] {
  const secrets = value.split(',').map((secret) => secret.trim());
  if (secrets.length > 2 || !secrets.every(isSigningSecret)) {
    throw new Error('whsec_ followed by 24 to 64 bytes in base64, or two of them separated by a comma');
  }
  return secrets;
}

function isSigningSecret(secret: string): boolean {
  const [, encoded = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(encoded, 'base64');
  // Node skips characters that are not base64; receivers' libraries refuse them.
  return key.toString('base64') === encoded && key.length >= 24 && key.length <= 64;
}
