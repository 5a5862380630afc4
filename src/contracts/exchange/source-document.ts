import type { Engine } from '../../catalog/engine.ts';
import { equalJson, isArray, type JsonObject } from '../../model/json.ts';
import { mergeSourceDocuments } from '../odcs/merge.ts';
import type { OdcsDocument } from '../odcs/read.ts';
import type { OdcsVersion } from '../odcs/version.ts';
import { upgradeDocument } from '../odcs/versions.ts';
import { readSourceDocument } from '../queries.ts';

/** The document that a contract was read from, as it is kept beside the contract. */
export type SourceDocument = {
  readonly version: OdcsVersion;
  /** As it was written. */
  readonly source: JsonObject;
  /** What was made of it, so that what has changed since can be told from what has not. */
  readonly made: JsonObject;
  /** It was joined from documents of several versions. */
  readonly joined?: true;
  /** The object of its schema that the contract is about. */
  readonly objectName?: string;
};

/** A source as it was found. */
export type StoredSource = SourceDocument & { readonly revision: number };

export const findStoredSource = async (engine: Engine, id: string): Promise<StoredSource | undefined> => {
  const [row] = await engine.graph.read(readSourceDocument, { id });
  if (!row) return undefined;
  const { version, sourceJson, revision } = row;
  return { version: version as OdcsVersion, revision, ...(JSON.parse(sourceJson) as Omit<SourceDocument, 'version'>) };
};

/** A source as its node keeps it. */
export const toSourceRow = ({ version, ...parts }: SourceDocument): JsonObject => ({
  version,
  json: JSON.stringify(parts),
});

/** A document, and how its version writes it. */
export type VersionedDocument = Pick<OdcsDocument, 'version' | 'source' | 'document'> & Pick<SourceDocument, 'joined'>;

/** Whether the objects of a document stand in a list, which those of 2.x need not. */
const hasDatasetList = ({ dataset = [] }: JsonObject): boolean => isArray(dataset);

/**
 * Two documents of one contract as one. Documents of one version are joined as they were written, those of different
 * versions in the shape of the newest.
 */
export const joinSources = (kept: SourceDocument | undefined, given: VersionedDocument): VersionedDocument => {
  if (!kept) return given;
  if (kept.version === given.version && equalJson(kept.source, given.source)) return given;
  const { version } = given;
  if (kept.version === version && hasDatasetList(kept.source) && hasDatasetList(given.source)) {
    const source = mergeSourceDocuments(kept.source, given.source);
    return {
      version,
      source,
      document: upgradeDocument(source, version).document,
      ...(kept.joined ? { joined: true } : {}),
    };
  }
  const document = mergeSourceDocuments(upgradeDocument(kept.source, kept.version).document, given.document);
  return { version: 'v3.1.0', source: document, document, joined: true };
};
