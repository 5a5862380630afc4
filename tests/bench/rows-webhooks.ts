import { setTimeout as sleep } from 'node:timers/promises';
import type { HearJobs } from './hear-worker.ts';
import { restart } from './rows-start.ts';
import { processorDuring, type Result, type Stand, target } from './stand.ts';
import { startWorker, type Worker } from './worker.ts';

const SUBSCRIPTIONS = 100;
/** Each event is sent to all subscriptions, so this many events are a lot of calls. */
const EVENTS_AT_ONCE = 50;
const AT_LEAST = 500;
/** How many times as long as a turn of another row. */
const TURNS = 12;

const subscribeAll = async (stand: Stand, address: string): Promise<void> => {
  for (let at = 0; at < SUBSCRIPTIONS; at += 1) {
    const config = { endpoint: `${address}/${at}`, authType: { type: 'bearer', secretKey: 'measured' } };
    const body = {
      name: `measured_${at}`,
      alertType: 'Notification',
      resources: ['domain'],
      destinations: [{ category: 'External', type: 'Webhook', config }],
    };
    await stand.load.run('putOne', { ...target(stand), path: '/v1/events/subscriptions', body });
  }
};

type Heard = Awaited<ReturnType<HearJobs['count']>>;

/** Makes events whenever most of the calls of the last ones have arrived, for a while. */
const keepTelling = async (stand: Stand, receiver: Worker<HearJobs>, seconds: number) => {
  const started = performance.now();
  let events = 0;
  let heard: Heard = await receiver.run('count', undefined);
  const backlog = () => events * SUBSCRIPTIONS - heard.calls;
  while (performance.now() - started < seconds * 1000) {
    if (backlog() < (EVENTS_AT_ONCE * SUBSCRIPTIONS) / 2) {
      const rows = Array.from({ length: EVENTS_AT_ONCE }, (_, at) => ({
        name: `told_${events + at}`,
        description: 'Told of.',
        domainType: 'Aggregate',
      }));
      await stand.load.run('putRows', { ...target(stand), path: '/v1/domains', rows });
      events += EVENTS_AT_ONCE;
    }
    await sleep(50);
    heard = await receiver.run('count', undefined);
  }
  return { ...heard, perSecond: (heard.calls * 1000) / (performance.now() - started) };
};

/** Calls per second to a receiver on this machine that answers at once, one hundred subscriptions wanting every event. */
export const measureWebhooks = async (stand: Stand): Promise<Result> => {
  const receiver = startWorker<HearJobs>(new URL('hear-worker.ts', import.meta.url));
  try {
    await restart(stand, { WEBHOOK_ALLOW_PRIVATE: 'true' });
    await subscribeAll(stand, await receiver.run('listen', undefined));
    const { pid, databasePid } = stand.service;
    const { result, spent } = await processorDuring({ service: pid, database: databasePid }, () =>
      keepTelling(stand, receiver, stand.options.seconds * TURNS),
    );
    return {
      row: 'webhooks',
      work: `webhook calls, ${SUBSCRIPTIONS} subscriptions, ${stand.options.seconds * TURNS} s`,
      raw: '',
      service: `${result.perSecond.toFixed(0)}/s, ${result.doubled} twice`,
      reached: `${result.perSecond.toFixed(0)}/s`,
      target: `≥ ${AT_LEAST}/s`,
      ok: result.perSecond >= AT_LEAST && result.doubled === 0,
      figures: { ...result, spent },
    };
  } finally {
    await receiver.close();
    await restart(stand);
  }
};
