const SECRET_WORDS =
  'passwd|password|secret|token|private[_-]?key|passphrase|credential|api[_-]?key|access[_-]?key|connection[_-]?string|authorization';

/** Whether a line is worth the closer look; most lines are not, and every request writes one. */
const MAY_HOLD_SECRET = new RegExp(`${SECRET_WORDS}|bearer|eyJ|://`, 'i');

const ASSIGNMENT = /[\w-]*\\*["']?\s*[:=]\s*/;
const JSON_STRING = /"(?:[^"\\]|\\.)*"/;
/** A quoted value inside another string, however deep: up to the same quote behind as many backslashes. */
const INNER_STRING = /(?<quote>\\+["']|').*?(?<!\\)\k<quote>/;
const BARE_VALUE = /(?:\\*["'])?[^\s,;&{}[\]"'\\]+/;

/** A name that promises a secret, then the value it is given: in JSON, in JSON inside JSON, in a query or in prose. */
const NAMED_SECRET = new RegExp(
  `((?:${SECRET_WORDS})${ASSIGNMENT.source})(${JSON_STRING.source}|${INNER_STRING.source}|${BARE_VALUE.source})`,
  'gi',
);

const BEARER_TOKEN = /\b(bearer\s+)[\w.~+/=-]+/gi;
const JWT_TOKEN = /\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g;
/** A password may hold a slash or an `@`, so with a colon everything up to the last `@` goes. */
const USER_INFO = /(:\/\/)(?:[^\s/":]*:[^\s"]*|[^\s/"]*)@/g;
const URL_QUERY = /(:\/\/[^\s"?#]+\?)[^\s"]+/g;

/** Keeps the quotes of a value, and gives some to a bare one after a JSON name, so that the line stays JSON. */
const maskNamedValue = (name: string, value: string): string => {
  const quote = /^\\*["']/.exec(value)?.[0] ?? (/^[\w-]*"\s*:/.test(name) ? '"' : '');
  return `${name}${quote}***${quote}`;
};

/** Text without tokens, passwords, user-info in addresses and their queries: what may be written to a log. */
export const redactLogText = (text: string): string => {
  if (!MAY_HOLD_SECRET.test(text)) return text;
  return text
    .replace(BEARER_TOKEN, '$1***')
    .replace(JWT_TOKEN, '***')
    .replace(URL_QUERY, '$1***')
    .replace(USER_INFO, '$1***@')
    .replace(NAMED_SECRET, (_whole, name: string, value: string) => maskNamedValue(name, value));
};
