import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { checkPermissions, VIEW_OPERATIONS } from '../../catalog/read/facts.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { renderRecord, type View } from '../../catalog/read/render.ts';
import type { Snapshot } from '../../catalog/read/snapshot.ts';
import { requireKind } from '../../catalog/registry.ts';
import { equalJson, isObject, type JsonObject, member, withoutMember } from '../../model/json.ts';
import { buildServiceServer } from '../odcs/service-server.ts';
import type { OdcsDocument } from '../odcs/texts/documents.ts';
import { downgradeDocument, upgradeDocument } from '../odcs/versions/convert.ts';
import { isVersion2, type OdcsVersion } from '../odcs/versions/version.ts';
import type { StoredSource } from './source-document.ts';

/** Names the server of a document from the service that holds the record, as far as the caller may see it. */

/** Whether the caller may see a record and everything that holds it, because a server names all of them. */
const isWholePathVisible = async (
  engine: Engine,
  principal: Principal,
  { kind, id, ancestors }: Snapshot,
): Promise<boolean> => {
  const places = ancestors.map((node) => ({ entityType: node.entityType, entityId: node.id }));
  const all = [{ entityType: kind.entityType, entityId: id }, ...places];
  return (await checkPermissions(engine, principal, VIEW_OPERATIONS, all)).every((isSeen) => isSeen);
};

/**
 * Reads the server that the service of a record is. The connection is read as every caller reads it who may not see
 * secrets, whatever this caller may see, because documents are made to be passed on.
 */
export const findServiceServer = async (
  engine: Engine,
  principal: Principal,
  subject: Snapshot,
  view: View,
): Promise<JsonObject | undefined> => {
  const node = subject.ancestors.at(-1);
  const kind = node && requireKind(engine.registry, node.entityType);
  if (kind?.connectionSteps === undefined || !(await isWholePathVisible(engine, principal, subject))) return undefined;
  const service = await engine.store.record(kind, { id: node?.id ?? '' }, NO_FIELDS);
  if (!service || service.deleted) return undefined;
  const { connection = null, serviceType } = renderRecord(service, view);
  const config = isObject(connection) ? (member(connection, 'config') ?? null) : null;
  if (!isObject(config)) return undefined;
  const { entityType } = subject.kind;
  return buildServiceServer({
    name: service.name,
    serviceType: String(serviceType),
    config,
    path: [{ entityType, name: subject.name }, ...subject.ancestors.slice(0, -1)],
    record: subject.values,
  });
};

/** Adds a server to a document that has no servers of its own. */
export const addServer = (document: JsonObject, server: JsonObject | undefined): JsonObject =>
  server === undefined || member(document, 'servers') !== undefined ? document : { ...document, servers: [server] };

const SMALLEST = { kind: 'DataContract', id: 'x', version: '1', status: 'draft' } as const;

/** The servers that a document has when an export with this server is read again. */
const readBack = (server: JsonObject, version: OdcsVersion) =>
  upgradeDocument(downgradeDocument({ ...SMALLEST, servers: [server] }, version).document, version).document['servers'];

/**
 * Removes servers from a document that an export has added, so that exporting a contract and importing the document
 * changes nothing. Servers that the stored document already has stay in it. Documents of 2.2.x always name a server.
 */
export const removeAddedServer = (
  given: OdcsDocument,
  server: JsonObject | undefined,
  stored: StoredSource | undefined,
): OdcsDocument => {
  const { source, document, version } = given;
  const servers = member(document, 'servers');
  if (server === undefined || servers === undefined || isVersion2(version)) return given;
  if (stored && member(upgradeDocument(stored.source, stored.version).document, 'servers') !== undefined) return given;
  if (!equalJson(servers, readBack(server, version) ?? null)) return given;
  return { ...given, source: withoutMember(source, 'servers'), document: withoutMember(document, 'servers') };
};
