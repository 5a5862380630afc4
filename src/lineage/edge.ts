import type { Json } from '../model/json.ts';
import { DERIVED_LINEAGE_SOURCE } from '../model/schemas/lineage/lineage.ts';

/**
 * A target column and the columns it is made from. Names are relative to the endpoints, so renaming an endpoint leaves
 * them valid.
 */
export type ColumnMapping = {
  readonly from: readonly string[];
  readonly to: string;
  readonly function?: string;
};

/** The statement of a log that showed an edge, and when it ran first and last, as far as is known. */
export type ObservedStatement = {
  readonly fingerprint: string;
  readonly firstAt?: number;
  readonly lastAt?: number;
};

/** The content of an assertion: what one source states about an edge. */
export type AssertionContent = {
  readonly sqlQuery?: string;
  readonly description?: string;
  /** The description given next to the lineage details instead of inside them. */
  readonly edgeDescription?: string;
  readonly mappings: readonly ColumnMapping[];
  readonly pipelineId?: string;
  readonly tempLineageTables?: Json;
  readonly observed?: ObservedStatement;
};

/** Who asserts an edge. */
export type Asserter = {
  readonly source: string;
  /** The name of the one among several that share a source, such as a dbt project. */
  readonly sourceName?: string | undefined;
};

export const isSameAsserter = (one: Asserter, other: Asserter): boolean =>
  one.source === other.source && one.sourceName === other.sourceName;

type Authorship = Asserter & {
  readonly createdAt: number;
  readonly createdBy: string;
  readonly updatedAt: number;
  readonly updatedBy: string;
};

/** The current assertion of one asserter about an edge. */
export type Assertion = Authorship & {
  readonly id: string;
  readonly since: number;
  /** When the asserter last said the same. */
  readonly seenAt?: number;
  /** Orders assertions by time of writing, even when the clock went backwards. */
  readonly order: number;
  readonly content: AssertionContent;
};

/** The content of an edge after merging the assertions of all sources. */
export type MergedEdge = Authorship &
  AssertionContent & {
    /** The number of asset edges behind a derived edge. */
    readonly assetEdges?: number;
  };

/** The stored state of an edge with its assertions. */
export type EdgeState = {
  readonly id: string;
  readonly since: number;
  readonly revision: number;
  readonly assertions: readonly Assertion[];
};

export type RawProperties = { readonly [name: string]: unknown };

/** Serializes a content without the pipeline ID, which is stored in its own property. */
export const serializeContent = ({ pipelineId: _, ...rest }: AssertionContent): string => JSON.stringify(rest);

const parseContent = (text: unknown, pipelineId: unknown): AssertionContent => ({
  ...(JSON.parse(text as string) as AssertionContent),
  ...(typeof pipelineId === 'string' ? { pipelineId } : {}),
});

export const decodeAssertion = (node: RawProperties): Assertion => ({
  id: node['id'] as string,
  source: node['source'] as string,
  ...(typeof node['sourceName'] === 'string' ? { sourceName: node['sourceName'] } : {}),
  since: node['since'] as number,
  order: node['order'] as number,
  createdAt: node['createdAt'] as number,
  createdBy: node['createdBy'] as string,
  updatedAt: node['updatedAt'] as number,
  updatedBy: node['updatedBy'] as string,
  ...(typeof node['seenAt'] === 'number' ? { seenAt: node['seenAt'] } : {}),
  content: parseContent(node['contentJson'], node['pipelineId']),
});

/** Serializes the merged details that are stored on the edge. */
export const serializeDetails = ({ pipelineId: _, ...rest }: MergedEdge): string => JSON.stringify(rest);

export const decodeDetails = (text: string, pipelineId: string | null): MergedEdge => ({
  ...(JSON.parse(text) as MergedEdge),
  ...(pipelineId === null ? {} : { pipelineId }),
});

/** Serializes the details of a derived edge. Nobody asserted it, so it has no author and no timestamps. */
export const serializeDerivedDetails = (assetEdges: number): string =>
  JSON.stringify({ source: DERIVED_LINEAGE_SOURCE, mappings: [], assetEdges });

/** Adds the count of a derived edge to the details of an edge that a source asserted as well. */
export const addEdgeCount = (text: string, derived: string): string =>
  JSON.stringify({ ...JSON.parse(text), assetEdges: (JSON.parse(derived) as { assetEdges: number }).assetEdges });

/** Whether two contents are equal. `buildContent` orders their members, so comparing the serialized texts is enough. */
export const isSameAssertionContent = (a: AssertionContent, b: AssertionContent): boolean =>
  a.pipelineId === b.pipelineId && serializeContent(a) === serializeContent(b);

/** What is known of the statements of two logs: the latter one, and the times of both. */
export const uniteObserved = (
  previous: ObservedStatement | undefined,
  latter: ObservedStatement | undefined,
): ObservedStatement | undefined => {
  if (!previous || !latter) return latter ?? previous;
  const firsts = [previous.firstAt ?? [], latter.firstAt ?? []].flat();
  const lasts = [previous.lastAt ?? [], latter.lastAt ?? []].flat();
  return {
    fingerprint: latter.fingerprint,
    ...(firsts.length > 0 ? { firstAt: Math.min(...firsts) } : {}),
    ...(lasts.length > 0 ? { lastAt: Math.max(...lasts) } : {}),
  };
};

/** Builds a content with its members in the fixed order that comparison by text relies on. */
export const buildContent = (
  said: { readonly [K in keyof Required<AssertionContent>]?: AssertionContent[K] | undefined },
): AssertionContent => {
  const { sqlQuery, description, edgeDescription, mappings = [], pipelineId, tempLineageTables, observed } = said;
  return {
    ...(sqlQuery === undefined ? {} : { sqlQuery }),
    ...(description === undefined ? {} : { description }),
    ...(edgeDescription === undefined ? {} : { edgeDescription }),
    mappings,
    ...(pipelineId === undefined ? {} : { pipelineId }),
    ...(tempLineageTables === undefined ? {} : { tempLineageTables }),
    ...(observed === undefined ? {} : { observed }),
  };
};
