/** Characters of a display name that need quotes (RFC 5322 section 3.2.3). */
const SPECIALS = /[()<>[\]:;@\\,."]/;

/** `Acme <hello@acme.com>`; the name is quoted where it must be (RFC 5322 section 3.2.5). */
export function mailboxText({ address, name }: { readonly address: string; readonly name?: string }): string {
  if (name === undefined) return address;
  const phrase = SPECIALS.test(name) ? `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"` : name;
  return `${phrase} <${address}>`;
}

/** Lower case. */
export const domainOfAddress = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();
