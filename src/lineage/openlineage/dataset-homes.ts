import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import { type JsonObject, member } from '../../model/json.ts';
import { jsonObject } from '../../model/json-parts.ts';
import { splitFqn } from '../../model/name.ts';
import { listNamespaces, listServices } from './queries.ts';

/** The records below which datasets may lie: services by their connections, and records that namespaces stand for. */

/** A service with what its connection says in clear. */
export type ServiceHome = {
  readonly entityType: string;
  readonly fqn: string;
  readonly ref: RefNode;
  readonly serviceType: string;
  readonly config: JsonObject;
};

/** Namespaces assigned by the setting, with the full name of the record that each stands for. */
export type NamespaceMap = ReadonlyMap<string, string>;

/** A record that a namespace stands for. The setting does not say of which kind it is. */
export type NamespaceHome = { readonly fqn: string; readonly entityType?: string };

export type DatasetHomes = {
  readonly services: readonly ServiceHome[];
  readonly namespaces: ReadonlyMap<string, NamespaceHome>;
};

const parseConfig = (connection: string | null): JsonObject =>
  jsonObject(member(jsonObject(JSON.parse(connection ?? 'null')), 'config'));

/** The types of records that have connections: all kinds of services. */
export const listServiceTypes = ({ registry }: Pick<Engine, 'registry'>): readonly string[] =>
  registry.kinds.filter(({ connectionSteps }) => connectionSteps).map(({ entityType }) => entityType);

/** Reads the homes. What the API assigns wins over the setting. */
export const readDatasetHomes = async (engine: Engine, configured: NamespaceMap): Promise<DatasetHomes> => {
  const { graph } = engine;
  const types = listServiceTypes(engine);
  const [services, assigned] = await Promise.all([graph.read(listServices, { types }), graph.read(listNamespaces, {})]);
  return {
    services: services.map(({ ref, serviceType, connection }) => ({
      entityType: ref.entityType,
      fqn: ref.fullyQualifiedName,
      ref,
      serviceType: serviceType ?? '',
      config: parseConfig(connection),
    })),
    namespaces: new Map<string, NamespaceHome>([
      ...[...configured].map(([namespace, fqn]) => [namespace, { fqn }] as const),
      ...assigned.map(
        ({ namespace, ref: { fullyQualifiedName: fqn, entityType } }) => [namespace, { fqn, entityType }] as const,
      ),
    ]),
  };
};

const DATABASE_SERVICE = 'databaseService';

/**
 * The service that a namespace stands for or whose part it stands for. Services of several kinds may share a name; what
 * is no service is a part of a database.
 */
export const serviceOf = ({ services }: DatasetHomes, { fqn, entityType }: NamespaceHome): ServiceHome | undefined => {
  const [first = ''] = splitFqn(fqn);
  const sharing = services.filter((service) => splitFqn(service.fqn)[0] === first);
  const exact = sharing.find((service) => service.entityType === entityType);
  return exact ?? sharing.find((service) => service.entityType === DATABASE_SERVICE) ?? sharing[0];
};
