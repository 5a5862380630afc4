const SECRET_WORDS =
  'passwd|password|secret|token|private[_-]?key|passphrase|credential|api[_-]?key|access[_-]?key|connection[_-]?string|authorization';

/** Whether a line needs the closer look. Most lines do not, and every request writes one. */
const MAY_HOLD_SECRET = new RegExp(`${SECRET_WORDS}|bearer|eyJ|://`, 'i');

const ASSIGNMENT = /[\w-]*\\*["']?\s*[:=]\s*/;
const JSON_STRING = /"(?:[^"\\]|\\.)*"/;
/** A quoted value inside another string, at any depth: up to the same quote behind as many backslashes. */
const INNER_STRING = /(?<quote>\\+["']|').*?(?<!\\)\k<quote>/;
const BARE_VALUE = /(?:\\*["'])?[^\s,;&{}[\]"'\\]+/;

/** A name that suggests a secret, followed by its value: in JSON, in JSON inside JSON, in a query or in prose. */
const NAMED_SECRET = new RegExp(
  `((?:${SECRET_WORDS})${ASSIGNMENT.source})(${JSON_STRING.source}|${INNER_STRING.source}|${BARE_VALUE.source})`,
  'gi',
);

const BEARER_TOKEN = /\b(bearer\s+)[\w.~+/=-]+/gi;
const JWT_TOKEN = /\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g;
/** A password may hold a slash or an `@`, so with a colon the match extends to the last `@`. */
const USER_INFO = /(:\/\/)(?:[^\s/":]*:[^\s"]*|[^\s/"]*)@/g;
const URL_QUERY = /(:\/\/[^\s"?#]+\?)[^\s"]+/g;

/**
 * Masks a value. Keeps its quotes, and adds quotes to a bare value after a JSON name, so that the line stays valid
 * JSON.
 */
const maskNamedValue = (name: string, value: string): string => {
  const quote = /^\\*["']/.exec(value)?.[0] ?? (/^[\w-]*"\s*:/.test(name) ? '"' : '');
  return `${name}${quote}***${quote}`;
};

/** Removes tokens, passwords, user-info in URLs and URL queries from a text, so that it may be logged. */
export const redactLogText = (text: string): string => {
  if (!MAY_HOLD_SECRET.test(text)) return text;
  return text
    .replace(BEARER_TOKEN, '$1***')
    .replace(JWT_TOKEN, '***')
    .replace(URL_QUERY, '$1***')
    .replace(USER_INFO, '$1***@')
    .replace(NAMED_SECRET, (_whole, name: string, value: string) => maskNamedValue(name, value));
};
