import { encodeProperty } from '../../graph/encode-property.ts';
import type { WriteStatementRow } from '../../graph/group-commit.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { buildStoredDocument, buildStoredDocumentInSteps } from '../../search-documents/index/stored-document.ts';

const toDocumentRow = (stored: ReturnType<typeof buildStoredDocument>): WriteStatementRow => {
  const properties = Object.fromEntries(Object.entries(stored).map(([name, value]) => [name, encodeProperty(value)]));
  return { id: stored['id'], properties };
};

/** What a record is found by, as its node is written. */
export const documentRow = (kind: Kind, document: JsonObject): WriteStatementRow =>
  toDocumentRow(buildStoredDocument(kind, document));

/** The same without holding the event loop. */
export const documentRowAsync = async (kind: Kind, document: JsonObject): Promise<WriteStatementRow> =>
  toDocumentRow(await buildStoredDocumentInSteps(kind, document));
