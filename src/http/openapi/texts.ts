import type { Json } from '../../model/json.ts';
import type { Route } from '../route.ts';

/**
 * What the API document says beyond the declarations of the routes: which operation does what, and what members, tags
 * and headers mean. Each function answers `undefined` for what it does not know.
 */
export type ApiTexts = {
  readonly describeOperation: (route: Route) => string | undefined;
  readonly describeTag: (tag: string) => string | undefined;
  /** The tag above another one, where the version of the standard nests them. */
  readonly parentOfTag: (tag: string) => string | undefined;
  /** Describes a member of the schema with this title. */
  readonly describeMember: (title: string, member: string) => string | undefined;
  readonly describeHeader: (name: string) => string | undefined;
  /** A body that the operation accepts. */
  readonly exampleFor: (route: Route) => Json | undefined;
  /** The tags that come first in the document. */
  readonly firstTags: readonly string[];
};

const nothing = (): undefined => undefined;

/** Texts for documents without any. */
export const NO_TEXTS: ApiTexts = Object.freeze({
  describeOperation: nothing,
  describeTag: nothing,
  parentOfTag: nothing,
  describeMember: nothing,
  describeHeader: nothing,
  exampleFor: nothing,
  firstTags: [],
});
