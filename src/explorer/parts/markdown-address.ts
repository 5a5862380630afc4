/** Which addresses of a text in Markdown may be followed, and which images of it are shown. */

const FOLLOWED: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/** A scheme, a place of this page, or a page of this site: what else there is would depend on where the text is shown. */
const BEGINNING = /^(?:[a-z][a-z\d+.-]*:|#|\/)/i;

/** Nobody reads an answer of the API by a link, and an act of it must not be a click away from a text. */
const API = /^\/v1(?:\/|$)/i;

/** Answers the address that a link leads to: a page or a mail. There is none where a text asks for anything else. */
export const followedAddress = (address: string, origin: string): string | undefined => {
  if (!BEGINNING.test(address)) return undefined;
  if (address.startsWith('#')) return address;
  const url = URL.parse(address, origin);
  if (url === null || !FOLLOWED.has(url.protocol)) return undefined;
  if (url.origin !== origin) return address.startsWith('/') ? undefined : address;
  if (API.test(url.pathname)) return undefined;
  return address;
};

/** Pictures that are in the text itself. Any other would be a request that nobody made, with what the browser knows of them. */
export const isImageInText = (address: string): boolean => /^data:image\/(?:png|jpeg|gif|webp);base64,/i.test(address);
