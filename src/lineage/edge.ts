import type { Json } from '../model/json.ts';
import { DERIVED_LINEAGE_SOURCE } from '../model/schemas/lineage/lineage.ts';

/** A column that is made from others. Names are those below the two ends, so that renaming an end leaves them alone. */
export type ColumnMapping = {
  readonly from: readonly string[];
  readonly to: string;
  readonly function?: string;
};

/** What somebody says of an edge. */
export type AssertionContent = {
  readonly sqlQuery?: string;
  readonly description?: string;
  /** What stands beside the details and not in them. */
  readonly edgeDescription?: string;
  readonly mappings: readonly ColumnMapping[];
  readonly pipelineId?: string;
  readonly tempLineageTables?: Json;
};

type Authorship = {
  readonly source: string;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly updatedAt: number;
  readonly updatedBy: string;
};

/** What one source says of an edge, and since when. */
export type Assertion = Authorship & {
  readonly id: string;
  readonly since: number;
  /** Tells which of two came later, whatever the clock said. */
  readonly order: number;
  readonly content: AssertionContent;
};

/** What all sources together say of an edge. */
export type MergedEdge = Authorship &
  AssertionContent & {
    /** How many edges between records it stands for, where it follows from them. */
    readonly assetEdges?: number;
  };

/** An edge as it is now: who says what of it. */
export type EdgeState = {
  readonly id: string;
  readonly since: number;
  readonly revision: number;
  readonly assertions: readonly Assertion[];
};

export type RawProperties = { readonly [name: string]: unknown };

/** What of a content is kept as one text: all but what is looked up by itself. */
export const serializeContent = ({ pipelineId: _, ...rest }: AssertionContent): string => JSON.stringify(rest);

const parseContent = (text: unknown, pipelineId: unknown): AssertionContent => ({
  ...(JSON.parse(text as string) as AssertionContent),
  ...(typeof pipelineId === 'string' ? { pipelineId } : {}),
});

export const decodeAssertion = (node: RawProperties): Assertion => ({
  id: node['id'] as string,
  source: node['source'] as string,
  since: node['since'] as number,
  order: node['order'] as number,
  createdAt: node['createdAt'] as number,
  createdBy: node['createdBy'] as string,
  updatedAt: node['updatedAt'] as number,
  updatedBy: node['updatedBy'] as string,
  content: parseContent(node['contentJson'], node['pipelineId']),
});

/** The text that an edge carries of what is said of it. */
export const serializeDetails = ({ pipelineId: _, ...rest }: MergedEdge): string => JSON.stringify(rest);

export const decodeDetails = (text: string, pipelineId: string | null): MergedEdge => ({
  ...(JSON.parse(text) as MergedEdge),
  ...(pipelineId === null ? {} : { pipelineId }),
});

/** The text of an edge that follows from so many others. Nobody said anything of it, at no time. */
export const serializeDerivedDetails = (assetEdges: number): string =>
  JSON.stringify({ source: DERIVED_LINEAGE_SOURCE, mappings: [], assetEdges });

/** The text of an edge of which somebody says something and which follows from others besides. */
export const addEdgeCount = (text: string, derived: string): string =>
  JSON.stringify({ ...JSON.parse(text), assetEdges: (JSON.parse(derived) as { assetEdges: number }).assetEdges });

/** Whether two contents say the same. Both were made by this program, so their members come in the same order. */
export const isSameAssertionContent = (a: AssertionContent, b: AssertionContent): boolean =>
  a.pipelineId === b.pipelineId && serializeContent(a) === serializeContent(b);

/** A content with its members in the one order in which all are kept. */
export const buildContent = (
  said: { readonly [K in keyof Required<AssertionContent>]?: AssertionContent[K] | undefined },
): AssertionContent => {
  const { sqlQuery, description, edgeDescription, mappings = [], pipelineId, tempLineageTables } = said;
  return {
    ...(sqlQuery === undefined ? {} : { sqlQuery }),
    ...(description === undefined ? {} : { description }),
    ...(edgeDescription === undefined ? {} : { edgeDescription }),
    mappings,
    ...(pipelineId === undefined ? {} : { pipelineId }),
    ...(tempLineageTables === undefined ? {} : { tempLineageTables }),
  };
};
