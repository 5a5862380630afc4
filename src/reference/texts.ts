import type { ApiTexts } from '../http/openapi/texts.ts';
import type { Route } from '../http/route.ts';
import type { Json } from '../model/json.ts';
import type { Kind } from '../model/kind/kind.ts';
import { kindWords } from '../model/kind/kind-words.ts';
import { REQUEST_EXAMPLES } from './examples/bodies.ts';
import { exampleOfKind, USAGE_EXAMPLE } from './examples/of-kinds.ts';
import { HEADER_TEXTS } from './headers.ts';
import { describeMember } from './members/describe-member.ts';
import { ACCOUNT_OPERATIONS } from './operations/accounts.ts';
import { ASSET_OPERATIONS } from './operations/assets.ts';
import { INSIGHT_OPERATIONS } from './operations/insight.ts';
import { KIND_OPERATIONS, USAGE_OPERATIONS } from './operations/kinds.ts';
import { LINEAGE_OPERATIONS } from './operations/lineage.ts';
import { SERVICE_OPERATIONS } from './operations/service.ts';
import { SUBJECT_TAGS, TAG_GROUPS } from './tags.ts';

/**
 * The words of the API document: what each operation does, and what tags, members and headers mean. A new route needs a
 * line in `operations/`, and a member with a new name one in `members/`; a test names what is missing.
 */

const OPERATIONS: Readonly<Record<string, string>> = {
  ...LINEAGE_OPERATIONS,
  ...INSIGHT_OPERATIONS,
  ...ASSET_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...SERVICE_OPERATIONS,
};

const textAt = (texts: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(texts, key) ? texts[key] : undefined;

const fillWords = (text: string, kind: Kind): string => {
  const words = { ...kindWords(kind), type: kind.entityType };
  return text.replace(/\{(one|a|many|type)\}/g, (_, name: keyof typeof words) => words[name]);
};

/** Finds the kind whose collection the path is in, and what follows the path of the collection. */
const collectionOf = (kinds: readonly Kind[], path: string): { kind: Kind; rest: string } | undefined => {
  const kind = kinds
    .filter((one) => path === `/v1/${one.path}` || path.startsWith(`/v1/${one.path}/`))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
  return kind && { kind, rest: path.slice(`/v1/${kind.path}`.length) };
};

const describeUsage = (kinds: readonly Kind[], { method, path }: Route): string | undefined => {
  const [, type = '', rest = ''] = /^\/v1\/usage\/(?:compute\.percentile\/)?([^/]+)\/(.*)$/.exec(path) ?? [];
  const kind = kinds.find(({ entityType }) => entityType === type);
  const text = textAt(USAGE_OPERATIONS, `${method} ${rest}`);
  return kind && text && fillWords(text, kind);
};

const describeOperationOf =
  (kinds: readonly Kind[]) =>
  (route: Route): string | undefined => {
    const own = textAt(OPERATIONS, `${route.method} ${route.path}`);
    if (own !== undefined) return own;
    const found = collectionOf(kinds, route.path);
    const text = found && textAt(KIND_OPERATIONS, `${route.method} ${found.rest}`);
    return text === undefined ? describeUsage(kinds, route) : fillWords(text, found?.kind as Kind);
  };

const exampleForOf =
  (kinds: readonly Kind[]) =>
  ({ method, path }: Route): Json | undefined => {
    const own = REQUEST_EXAMPLES[`${method} ${path}`];
    if (own !== undefined) return own;
    if (path.startsWith('/v1/usage/')) return USAGE_EXAMPLE;
    const found = collectionOf(kinds, path);
    return found && exampleOfKind(found.kind, `${method} ${found.rest}`);
  };

const describeTagOf =
  (kinds: readonly Kind[]) =>
  (tag: string): string | undefined => {
    const kind = kinds.find(({ title }) => title === tag);
    const own = textAt(SUBJECT_TAGS, tag) ?? TAG_GROUPS[tag]?.text;
    return own ?? (kind && fillWords('Create, read, change and delete {many}, and read their history.', kind));
  };

/** Puts together the words for an application with these kinds. */
export const createApiTexts = (kinds: readonly Kind[]): ApiTexts => ({
  describeOperation: describeOperationOf(kinds),
  describeTag: describeTagOf(kinds),
  parentOfTag: (tag) => Object.keys(TAG_GROUPS).find((group) => TAG_GROUPS[group]?.tags.includes(tag)),
  describeMember,
  describeHeader: (name) => textAt(HEADER_TEXTS, name),
  exampleFor: exampleForOf(kinds),
  firstTags: ['Lineage'],
});
