import type { Engine } from '../../catalog/engine.ts';
import { equalJson, isArray, type JsonObject } from '../../model/json.ts';
import { mergeSourceDocuments } from '../odcs/import.ts';
import type { OdcsDocument } from '../odcs/texts/documents.ts';
import { upgradeDocument } from '../odcs/versions/convert.ts';
import { DEFAULT_VERSION, NEWEST_VERSION, type OdcsVersion } from '../odcs/versions/version.ts';
import { readSourceDocument } from '../queries.ts';

/** The document that a contract was read from, as it is stored with the contract. */
export type SourceDocument = {
  readonly version: OdcsVersion;
  /** The document as it was written. */
  readonly source: JsonObject;
  /** The members that were imported from it, for detecting what has changed since. */
  readonly made: JsonObject;
  /** Whether it was joined from documents of several versions. */
  readonly joined?: true;
  /** The name of the schema object that the contract is about. */
  readonly objectName?: string;
};

/** A source as it was read from the graph. */
export type StoredSource = SourceDocument & { readonly revision: number };

export const findStoredSource = async (engine: Engine, id: string): Promise<StoredSource | undefined> => {
  const [row] = await engine.graph.read(readSourceDocument, { id });
  if (!row) return undefined;
  const { version, sourceJson, revision } = row;
  return { version: version as OdcsVersion, revision, ...(JSON.parse(sourceJson) as Omit<SourceDocument, 'version'>) };
};

/** Builds the row that the node of a source and its contract store. */
export const toSourceRow = ({ version, ...parts }: SourceDocument, annotations: JsonObject): JsonObject => ({
  version,
  json: JSON.stringify(parts),
  annotationsJson: Object.keys(annotations).length === 0 ? null : JSON.stringify(annotations),
});

/** A document and its form in its own version. */
export type VersionedDocument = Pick<OdcsDocument, 'version' | 'source' | 'document'> & Pick<SourceDocument, 'joined'>;

/** Whether the datasets of a document are a list, which is optional in 2.x. */
const hasDatasetList = ({ dataset = [] }: JsonObject): boolean => isArray(dataset);

/**
 * Joins two documents of one contract. Documents of the same version are joined as written, those of different
 * versions in the shape of the newest version.
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
  const isNewest = [kept.version, version].includes(NEWEST_VERSION);
  return { version: isNewest ? NEWEST_VERSION : DEFAULT_VERSION, source: document, document, joined: true };
};
