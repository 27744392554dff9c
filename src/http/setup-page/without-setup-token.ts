/**
 * The part of a path that the log shows: the token in a setup page's address is a credential. Also of paths that no route has, in any
 * spelling of `setup`, and of whole URLs (RFC 9112 section 3.2.2).
 */
export function withoutSetupToken(path: string): string {
  const decoded = path
    .replace(/^https?:\/\/[^/?]*/i, '')
    .replace(/%([0-9a-f]{2})/gi, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return /^\/+setup(?:[/?]|$)/i.test(decoded) && !/^\/+setup\/assets\//i.test(decoded) ? '/setup/(token)' : path;
}
