import { isMembers, isReference, type Members, textAt } from '../api/members.ts';
import type { Reference } from '../api/types.ts';
import { readableName } from './member-words.ts';
import { stepOfLink, type TrailStep } from './trail.ts';

/** How a member of any record is shown: by its name and its shape, so that a new kind or member needs no code. */

export type Shown =
  | { readonly as: 'text'; readonly text: string }
  | { readonly as: 'link'; readonly address: string }
  | { readonly as: 'asset'; readonly asset: TrailStep }
  | { readonly as: 'time'; readonly at: number }
  | { readonly as: 'code'; readonly text: string }
  | { readonly as: 'references'; readonly references: readonly Reference[] }
  | { readonly as: 'chips'; readonly texts: readonly string[] }
  | { readonly as: 'facts'; readonly facts: readonly Fact[] }
  | { readonly as: 'list'; readonly items: readonly ShownItem[] };

/** An item of a list: what it is called, if it has a name, and its members. */
export type ShownItem = { readonly title: string | undefined; readonly facts: readonly Fact[] };

export type Fact = { readonly name: string; readonly title: string; readonly shown: Shown };

const CODE_NAMES =
  /^(?:code|query|sql|.*SQL|schemaDefinition|schemaText|sqlExpression|inspectionQuery|condition|schema|expression|transformationLogic)$/;
const SIZE_NAMES = /^(?:size|.*[sS]ize|sizeInByte|.*Bytes?)$/;
const TIME_NAMES = /(?:At|Ts|Time|Date|timestamp)$/;
/** Times are in milliseconds since 1970: smaller numbers are durations or counts. */
const EARLIEST_TIME = 100_000_000_000;
/** The last moment that calendars of programs know. */
const LATEST_TIME = 8_640_000_000_000_000;
/** Members that are named like a time and are a duration. */
const DURATIONS: ReadonlySet<string> = new Set(['retentionTime']);

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];

export const readableSize = (bytes: number): string => {
  const step = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1000 ** step;
  return `${value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 })} ${UNITS[step]}`;
};

const SPANS = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
  { unit: 'second', ms: 1000 },
  { unit: 'millisecond', ms: 1 },
];

/** A duration in the largest unit that tells it exactly. */
const readableSpan = (span: number): string => {
  const found = SPANS.find(({ ms }) => span >= ms && span % ms === 0);
  if (found === undefined) return span.toLocaleString('en');
  const count = span / found.ms;
  return `${count.toLocaleString('en')} ${found.unit}${count === 1 ? '' : 's'}`;
};

const showNumber = (name: string, value: number): Shown => {
  if (DURATIONS.has(name)) return { as: 'text', text: readableSpan(value) };
  const isTime = value > EARLIEST_TIME && value <= LATEST_TIME;
  if (TIME_NAMES.test(name) && isTime) return { as: 'time', at: value };
  if (SIZE_NAMES.test(name) && name !== 'batchSize' && value >= 0) return { as: 'text', text: readableSize(value) };
  return { as: 'text', text: value.toLocaleString('en', { maximumFractionDigits: 6 }) };
};

const showText = (name: string, text: string): Shown => {
  const asset = stepOfLink(text);
  if (asset !== undefined) return { as: 'asset', asset };
  if (CODE_NAMES.test(name)) return { as: 'code', text: readableCode(text) };
  if (/^https?:\/\/\S+$/i.test(text)) return { as: 'link', address: text };
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? { as: 'text', text } : { as: 'time', at };
};

/** Schemas are JSON on one line; people read them with one member a line. */
export const readableCode = (text: string): string => {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

/** A member inside of others is not unfolded forever: what lies deeper is rarely what anybody looks for. */
const DEEPEST = 5;

const isSimple = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

const isLabel = (value: unknown): value is { readonly tagFQN: string } =>
  isMembers(value) && typeof value['tagFQN'] === 'string';

/** Lists whose records come without their type. */
const TYPES: ReadonlyMap<string, string> = new Map([['testSuites', 'testSuite']]);

/** Members by which the items of a list are told apart. */
const TITLES = ['displayName', 'name', 'testCaseName', 'ruleName', 'columnName', 'constraintType'];

const describeItem = (item: Members, depth: number): ShownItem => {
  const named = TITLES.find((name) => textAt(item, name) !== undefined);
  const facts = describeMembers(item, { without: new Set(named === undefined ? [] : [named, 'id']), depth: depth + 1 });
  return { title: named === undefined ? undefined : textAt(item, named), facts };
};

const showList = (name: string, listed: readonly unknown[], depth: number): Shown | undefined => {
  if (listed.length === 0) return undefined;
  const type = TYPES.get(name);
  const values = type === undefined ? listed : listed.map((value) => ({ ...(value as Members), type }));
  if (values.every(isLabel)) return { as: 'chips', texts: values.map((label) => label.tagFQN) };
  if (values.every(isReference)) return { as: 'references', references: values as unknown as readonly Reference[] };
  if (values.every(isSimple)) return { as: 'chips', texts: values.map(String) };
  const items = values.filter(isMembers).map((item) => describeItem(item, depth));
  return items.length === 0
    ? { as: 'chips', texts: values.map((value) => (Array.isArray(value) ? value.join(', ') : String(value))) }
    : { as: 'list', items };
};

export const showValue = (name: string, value: unknown, depth = 0): Shown | undefined => {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'boolean') return { as: 'text', text: value ? 'yes' : 'no' };
  if (typeof value === 'number') return showNumber(name, value);
  if (typeof value === 'string') return showText(name, value);
  if (Array.isArray(value)) return showList(name, value, depth);
  if (isLabel(value)) return { as: 'chips', texts: [value.tagFQN] };
  if (isReference(value)) return { as: 'references', references: [value as unknown as Reference] };
  if (!isMembers(value) || depth >= DEEPEST) return undefined;
  const facts = describeMembers(value, { depth: depth + 1 });
  return facts.length === 0 ? undefined : { as: 'facts', facts };
};

type Options = { readonly without?: ReadonlySet<string>; readonly depth?: number };

/** The members that have a value, in words. */
export const describeMembers = (members: Members, { without, depth = 0 }: Options = {}): readonly Fact[] =>
  Object.entries(members).flatMap(([name, value]) => {
    if (
      name === 'href' ||
      name === 'fullyQualifiedName' ||
      (name === 'deleted' && value === false) ||
      without?.has(name)
    )
      return [];
    const shown = showValue(name, value, depth);
    return shown === undefined ? [] : [{ name, title: readableName(name), shown }];
  });

/** Whether a member needs the width of the page: code, lists of members, and what contains them. */
export const isWide = ({ shown }: Fact): boolean =>
  shown.as === 'code' || shown.as === 'list' || (shown.as === 'facts' && shown.facts.some(isWide));
