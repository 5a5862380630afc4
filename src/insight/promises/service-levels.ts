import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { durationIn, timeZoneOf } from '../../contracts/validation/sla.ts';
import { parseTimeOfDay, type TimeZone } from '../../contracts/validation/time-zone.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import { readNodeVisibility } from '../../lineage/node-visibility.ts';
import { chunk } from '../../model/chunk.ts';
import type { JsonObject } from '../../model/json.ts';
import { type PromisingContract, readPromises } from './queries.ts';

/** What a contract promises about time. */
export type AgreedLevel = {
  /** The contract that promises it, which an asset may have from its data product. */
  readonly contractId: string;
  /** The greatest age of the data, in seconds. */
  readonly delay: number | undefined;
  /** The time of day by which the data is there. */
  readonly availableAt: { readonly minutes: number; readonly zone: TimeZone } | undefined;
};

/** The lengths of units in seconds; a month has 30 days and a year 365. */
const UNIT_SECONDS: ReadonlyMap<string, number> = new Map([
  ['minute', 60],
  ['hour', 3600],
  ['day', 86_400],
  ['week', 7 * 86_400],
  ['month', 30 * 86_400],
  ['year', 365 * 86_400],
]);

const secondsIn = (sla: JsonObject, name: string, sizeName: string): number | undefined => {
  const duration = durationIn(sla, name, sizeName);
  const unit = UNIT_SECONDS.get(duration?.unit ?? '');
  return duration && unit !== undefined ? duration.size * unit : undefined;
};

/** Reads the service level of a contract. */
export const parseServiceLevel = (contractId: string, sla: JsonObject): AgreedLevel => {
  const refresh = secondsIn(sla, 'refreshFrequency', 'interval');
  const time = parseTimeOfDay(String(sla['availabilityTime'] ?? ''));
  return {
    contractId,
    delay: refresh === undefined ? undefined : refresh + (secondsIn(sla, 'maxLatency', 'value') ?? 0),
    availableAt: time && { minutes: time.minutes, zone: timeZoneOf(sla) },
  };
};

const levelOf = (
  own: PromisingContract | undefined,
  inherited: PromisingContract | undefined,
): AgreedLevel | undefined => {
  const contract = own?.slaJson || !inherited ? own : inherited;
  return contract && parseServiceLevel(contract.id, contract.slaJson ? JSON.parse(contract.slaJson) : {});
};

const CONTRACT_TYPE = 'dataContract';
const READ_BATCH = 1000;
const READS_AT_ONCE = 2;

/**
 * Reads what was promised about records, by ID, in contracts that the caller may see: their own, and where that says
 * nothing about time, the one of their only data product. Records without any contract are missing.
 */
export const readServiceLevels = async (
  engine: Engine,
  principal: Principal,
  ids: readonly string[],
): Promise<ReadonlyMap<string, AgreedLevel>> => {
  const pages = await mapConcurrently(chunk(ids, READ_BATCH), READS_AT_ONCE, (some) =>
    engine.graph.read(readPromises, { ids: some }),
  );
  const rows = pages.flat();
  const contracts = rows.flatMap(({ own, inherited }) => [own, inherited].flatMap((contract) => contract ?? []));
  const nodes = contracts.map(({ id }) => ({ id, entityType: CONTRACT_TYPE }));
  const sees = await readNodeVisibility(engine, principal, nodes);
  const seen = (contract: PromisingContract | null) => (contract && sees(contract.id) ? contract : undefined);
  return new Map(
    rows.flatMap(({ id, own, inherited }) => {
      const level = levelOf(seen(own), seen(inherited));
      return level ? [[id, level] as const] : [];
    }),
  );
};
