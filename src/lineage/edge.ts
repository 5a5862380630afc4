import type { Json } from '../model/json.ts';
import { DERIVED_SOURCE } from '../model/lineage-values.ts';

/** A column that is made from others. Names are those below the two ends, so that renaming an end leaves them alone. */
export type Mapping = {
  readonly from: readonly string[];
  readonly to: string;
  readonly function?: string;
};

/** What somebody says of an edge. */
export type Content = {
  readonly sqlQuery?: string;
  readonly description?: string;
  /** What stands beside the details and not in them. */
  readonly edgeDescription?: string;
  readonly mappings: readonly Mapping[];
  readonly pipelineId?: string;
  readonly tempLineageTables?: Json;
};

type Said = {
  readonly source: string;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly updatedAt: number;
  readonly updatedBy: string;
};

/** What one source says of an edge, and since when. */
export type Assertion = Said & {
  readonly id: string;
  readonly since: number;
  /** Tells which of two came later, whatever the clock said. */
  readonly order: number;
  readonly content: Content;
};

/** What all sources together say of an edge. */
export type Merged = Said &
  Content & {
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

export type Stored = { readonly [name: string]: unknown };

/** What of a content is kept as one text: all but what is looked up by itself. */
export const contentText = ({ pipelineId: _, ...rest }: Content): string => JSON.stringify(rest);

const contentFrom = (text: unknown, pipelineId: unknown): Content => ({
  ...(JSON.parse(text as string) as Content),
  ...(typeof pipelineId === 'string' ? { pipelineId } : {}),
});

export const decodeAssertion = (node: Stored): Assertion => ({
  id: node['id'] as string,
  source: node['source'] as string,
  since: node['since'] as number,
  order: node['order'] as number,
  createdAt: node['createdAt'] as number,
  createdBy: node['createdBy'] as string,
  updatedAt: node['updatedAt'] as number,
  updatedBy: node['updatedBy'] as string,
  content: contentFrom(node['contentJson'], node['pipelineId']),
});

/** The text that an edge carries of what is said of it. */
export const detailsText = ({ pipelineId: _, ...rest }: Merged): string => JSON.stringify(rest);

export const decodeDetails = (text: string, pipelineId: string | null): Merged => ({
  ...(JSON.parse(text) as Merged),
  ...(pipelineId === null ? {} : { pipelineId }),
});

/** The text of an edge that follows from so many others. Nobody said anything of it, at no time. */
export const derivedText = (assetEdges: number): string =>
  JSON.stringify({ source: DERIVED_SOURCE, mappings: [], assetEdges });

/** The text of an edge of which somebody says something and which follows from others besides. */
export const withCount = (text: string, derived: string): string =>
  JSON.stringify({ ...JSON.parse(text), assetEdges: (JSON.parse(derived) as { assetEdges: number }).assetEdges });

/** Whether two contents say the same. Both were made by this program, so their members come in the same order. */
export const sameContent = (a: Content, b: Content): boolean =>
  a.pipelineId === b.pipelineId && contentText(a) === contentText(b);

/** A content with its members in the one order in which all are kept. */
export const contentOf = (said: { readonly [K in keyof Required<Content>]?: Content[K] | undefined }): Content => {
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
