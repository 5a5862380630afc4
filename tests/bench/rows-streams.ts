import { setTimeout as sleep } from 'node:timers/promises';
import { residentMb } from './processes.ts';
import { restart } from './rows-start.ts';
import { personToken, type Result, type Stand, target } from './stand.ts';

/** So many people with as many streams as each may have. */
const PEOPLE = 40;
const EACH = 5;
const STREAMS = PEOPLE * EACH;
const AT_MOST_MB = 50;
/** Memory settles for so long before it is looked at. */
const SETTLE_MS = 5000;
const EVENTS = 20;

/** What people who listen cost while nothing happens and after something did, in resident memory of the service. */
export const measureStreams = async (stand: Stand): Promise<Result> => {
  const tokens: string[] = [];
  for (let at = 0; at < PEOPLE; at += 1) tokens.push(await personToken(stand, `measured_listener_${at}`));
  await restart(stand);
  const tell = async (from: number) => {
    for (let at = from; at < from + EVENTS; at += 1) {
      const body = { name: `heard_${at}`, description: 'Heard of.', domainType: 'Aggregate' };
      await stand.load.run('putOne', { ...target(stand), path: '/v1/domains', body });
    }
  };
  const settled = async (): Promise<number> => {
    await sleep(SETTLE_MS);
    return residentMb(stand.service.pid);
  };
  await tell(0);
  const alone = await settled();
  const { address } = stand.service;
  for (const token of tokens) await stand.load.run('openStreams', { address, token, count: EACH });
  const open = await settled();
  await tell(EVENTS);
  const told = await settled();
  const heard = await stand.load.run('closeStreams', undefined);
  if (heard < STREAMS * EVENTS) throw new Error(`${heard} events were heard, not ${STREAMS * EVENTS}`);
  const growth = Math.max(open, told) - alone;
  return {
    row: 'streams',
    work: `memory of ${STREAMS} open event streams`,
    raw: '',
    service: `${alone.toFixed(0)} to ${told.toFixed(0)} MB`,
    reached: `+${growth.toFixed(0)} MB`,
    target: `< ${AT_MOST_MB} MB`,
    ok: growth < AT_MOST_MB,
    figures: { alone, open, told, heard },
  };
};
