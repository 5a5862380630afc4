import type { Engine } from '../../catalog/engine.ts';
import { equalJson, type JsonObject } from '../../model/json.ts';
import { mergeSource } from '../odcs/merge.ts';
import type { OdcsDocument } from '../odcs/read.ts';
import { isVersion2, type OdcsVersion } from '../odcs/version.ts';
import { upgraded } from '../odcs/versions.ts';
import { readSource } from '../queries.ts';

/** The document that a contract was read from, as it is kept beside the contract. */
export type Source = {
  readonly version: OdcsVersion;
  /** As it was written. */
  readonly source: JsonObject;
  /** What was made of it, so that what has changed since can be told from what has not. */
  readonly made: JsonObject;
  /** The object of its schema that the contract is about. */
  readonly objectName?: string;
};

/** A source as it was found. */
export type Kept = Source & { readonly revision: number };

export const findSource = async (engine: Engine, id: string): Promise<Kept | undefined> => {
  const [row] = await engine.graph.read(readSource, { id });
  if (!row) return undefined;
  const { version, sourceJson, revision } = row;
  return { version: version as OdcsVersion, revision, ...(JSON.parse(sourceJson) as Omit<Source, 'version'>) };
};

/** A source as its node keeps it. */
export const sourceRow = ({ version, ...parts }: Source): JsonObject => ({ version, json: JSON.stringify(parts) });

/** A document, and how its version writes it. */
export type Written = Pick<OdcsDocument, 'version' | 'source' | 'document'>;

/**
 * Two documents of one contract as one. Documents of one version are joined as they were written; those of different
 * versions, or of a version that says everything otherwise, in the shape of the newest.
 */
export const joinSources = (kept: Source | undefined, given: Written): Written => {
  if (!kept) return given;
  if (kept.version === given.version && equalJson(kept.source, given.source)) return given;
  if (kept.version === given.version && !isVersion2(given.version)) {
    const source = mergeSource(kept.source, given.source);
    return { version: given.version, source, document: upgraded(source, given.version).document };
  }
  const document = mergeSource(upgraded(kept.source, kept.version).document, given.document);
  return { version: 'v3.1.0', source: document, document };
};
