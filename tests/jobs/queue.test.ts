import * as assert from 'uvu/assert';
import { badRequest, CatalogError } from '../../src/errors.ts';
import type { JobWork } from '../../src/jobs/job-operation.ts';
import { openJobQueue } from '../../src/jobs/job-queue.ts';
import { readJobs } from '../../src/jobs/queries.ts';
import { createSignal } from '../support/hold-point.ts';
import { pickMembers, waitForJob, waitForJobEnd } from '../support/job.ts';
import { waitFor, waitUntil } from '../support/patience.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { openTestQueue, type TestQueue } from '../support/test-queue.ts';

/** Shows that processes share the job queue, every job runs once, and every outcome is recorded (csv.md 8). */

const test = suite('jobs: queue');

let service: Service;
let queue: TestQueue;

test.before(async () => {
  service = await openService();
});

test.beforeEach(() => {
  queue = openTestQueue(service);
});

const done = (jobId: string) => waitForJobEnd(service.admin, jobId);

/** An operation that goes on until it is let go, and counts how many do it at once. */
const createGate = () => {
  const state = { running: 0, most: 0, begun: 0, isOpen: false };
  const run = async (work: JobWork) => {
    state.begun += 1;
    state.running += 1;
    state.most = Math.max(state.most, state.running);
    try {
      await waitUntil(() => {
        work.check();
        return state.isOpen;
      }, 'the gate is open');
      return {};
    } finally {
      state.running -= 1;
    }
  };
  return { state, run };
};

/** Waits until so many jobs of a gate run, or have begun. */
const reaches = ({ state }: ReturnType<typeof createGate>, what: 'running' | 'begun', count: number): Promise<void> =>
  waitUntil(
    () => state[what] === count,
    `${what} is ${count}`,
    () => state,
  );

/** Leaves a job as a process leaves it that died in the middle. */
const abandon = (jobId: string, more = '') =>
  service.graph.query(
    `MATCH (n:Job {jobId: $jobId}) SET n.status = 'RUNNING', n.claim = 'gone', n.leaseUntil = 0, n.attempts = 1 ${more}`,
    { jobId },
  );

test('several processes share the queue, and every job runs once', async () => {
  const counts = new Map<string, number>();
  // Each of the three runs four at once, so that twelve have begun when all of them take part.
  const together = createSignal();
  const operation = {
    restart: 'resume' as const,
    run: async ({ job }: JobWork) => {
      counts.set(job.jobId, (counts.get(job.jobId) ?? 0) + 1);
      if (counts.size === 12) together.give();
      await together.given;
      return {};
    },
  };
  const runners = [1, 2, 3].map(() => queue.runner(operation));
  const jobIds: string[] = [];
  for (let at = 0; at < 30; at += 1) jobIds.push(await queue.submit({ person: uniqueName('p') }));
  for (const runner of runners) runner.start();
  for (const jobId of jobIds) assert.is((await done(jobId)).status, 'COMPLETED');
  for (const runner of runners) await runner.stop();
  assert.equal(
    [...counts.values()],
    jobIds.map(() => 1),
  );
});

test('four jobs run at once in a process, oldest first, and the others wait', async () => {
  const gate = createGate();
  const runner = queue.runner({ restart: 'resume', run: gate.run });
  const jobIds = [];
  for (let at = 0; at < 6; at += 1) jobIds.push(await queue.submit());
  runner.start();
  await reaches(gate, 'running', 4);
  // Each look at the queue also reads the jobs that run.
  const read = service.sent(readJobs.name);
  await waitUntil(() => service.sent(readJobs.name) >= read + 3 * 4, 'it has looked at the queue three times more');
  const waiting = await Promise.all(jobIds.slice(4).map((jobId) => queue.jobs.read(jobId)));
  assert.equal(
    waiting.map((job) => job?.status),
    ['QUEUED', 'QUEUED'],
  );
  gate.state.isOpen = true;
  for (const jobId of jobIds) await done(jobId);
  assert.equal([gate.state.most, gate.state.begun], [4, 6]);
  await runner.stop();
});

test('jobs with one key run one after another, also in several processes', async () => {
  const gate = createGate();
  const runners = [1, 2].map(() => queue.runner({ restart: 'resume', run: gate.run }));
  const exclusive = uniqueName('target');
  const jobIds = [];
  for (let at = 0; at < 3; at += 1) jobIds.push(await queue.submit({ exclusive }));
  const other = await queue.submit({ exclusive: uniqueName('target') });
  for (const runner of runners) runner.start();
  await reaches(gate, 'running', 2);
  // Later ones fill all places of both, which take the oldest first and so have passed over two of the three.
  const later = [];
  for (let at = 0; at < 6; at += 1) later.push(await queue.submit());
  await reaches(gate, 'running', 8);
  const states = await Promise.all([...jobIds, other, ...later].map((jobId) => queue.jobs.read(jobId)));
  assert.equal(states.map((job) => job?.status).slice(3), Array(7).fill('RUNNING'));
  gate.state.isOpen = true;
  for (const jobId of [...jobIds, other, ...later]) await done(jobId);
  for (const runner of runners) await runner.stop();
});

test('a job of a silent process is resumed from its saved state, or restarted', async () => {
  for (const restart of ['resume', 'restart'] as const) {
    const own = openTestQueue(service);
    const jobId = await own.submit({ input: ['first', 'second'] });
    await abandon(jobId, `, n.stateJson = '{"pieces":1}', n.progress = 1`);
    const seen: string[] = [];
    const runner = own.runner({
      restart,
      run: async (work) => {
        assert.is(work.isResumed, true);
        for await (const text of work.input(restart === 'resume' ? Number(work.job.state['pieces']) : 0))
          seen.push(text);
        return { message: 'Whole' };
      },
    });
    runner.start();
    assert.equal(pickMembers(await done(jobId), 'status', 'message'), ['COMPLETED', 'Whole']);
    assert.equal(seen, restart === 'resume' ? ['second'] : ['first', 'second']);
    await runner.stop();
  }
});

test('a job whose state is unknown after a crash fails as interrupted', async () => {
  const jobId = await queue.submit();
  await abandon(jobId);
  const runner = queue.runner({ restart: 'fail', run: () => assert.unreachable() as never });
  runner.start();
  const job = await done(jobId);
  assert.equal(pickMembers(job, 'status', 'error'), ['FAILED', 'interrupted']);
  assert.type(job.completedAt, 'number');
  await runner.stop();
});

test('a live process keeps its job beyond the lease, and one that lost it cannot save', async () => {
  const gate = createGate();
  const times = { leaseMs: 2000, beatMs: 50, slots: 1 };
  const [holder, envious] = [1, 2].map(() => queue.runner({ restart: 'resume', run: gate.run }, times));
  const jobId = await queue.submit();
  holder?.start();
  await reaches(gate, 'running', 1);
  const leased = 'MATCH (n:Job {jobId: $jobId}) RETURN n.leaseUntil AS until, timestamp() AS now';
  const [first] = await service.graph.query(leased, { jobId });
  const isOver = (now: unknown) => Number(now) > Number(first?.['until']);
  await waitFor(
    () => service.graph.query(leased, { jobId }),
    ([row]) => isOver(row?.['now']),
    'the first lease is over',
  );
  // The other one takes the oldest job that it may have, and that is a later one.
  const later = await queue.submit();
  envious?.start();
  await reaches(gate, 'begun', 2);
  assert.is((await queue.jobs.read(later))?.status, 'RUNNING');
  // Now somebody else has it, as far as the record says.
  await service.graph.query("MATCH (n:Job {jobId: $jobId}) SET n.claim = 'other', n.leaseUntil = timestamp() + 600", {
    jobId,
  });
  await reaches(gate, 'running', 1);
  await reaches(gate, 'begun', 3);
  gate.state.isOpen = true;
  for (const one of [jobId, later]) assert.is((await done(one)).status, 'COMPLETED');
  await holder?.stop();
  await envious?.stop();
});

test('saving after the claim is lost fails with everything in its transaction', async () => {
  let failure: unknown;
  const runner = queue.runner({
    restart: 'resume',
    run: async (work) => {
      await service.graph.query(
        "MATCH (n:Job {jobId: $jobId}) SET n.claim = 'other', n.leaseUntil = timestamp() + 60000",
        {
          jobId: work.job.jobId,
        },
      );
      await work.save({ progress: 7, pieces: [{ part: 'result1', position: 0, text: 'x' }] }).catch((thrown) => {
        failure = thrown;
        throw thrown;
      });
      return {};
    },
  });
  const jobId = await queue.submit();
  runner.start();
  await waitUntil(() => failure !== undefined, 'it fails');
  await runner.stop();
  const job = await queue.jobs.read(jobId);
  assert.equal([job?.status, job?.progress], ['RUNNING', 0]);
  const [row] = await service.graph.query('MATCH (n:JobPiece {jobId: $jobId}) RETURN count(n) AS pieces', { jobId });
  assert.is(row?.['pieces'], 0);
  await service.graph.query('MATCH (n:Job {jobId: $jobId}) DELETE n', { jobId });
});

test('a stopping process returns its jobs, and another continues at once', async () => {
  const gate = createGate();
  const first = queue.runner({ restart: 'resume', run: gate.run });
  const jobId = await queue.submit();
  first.start();
  await reaches(gate, 'running', 1);
  await first.stop();
  assert.is(gate.state.running, 0);
  gate.state.isOpen = true;
  const second = queue.runner({ restart: 'resume', run: gate.run });
  second.start();
  const job = await done(jobId);
  assert.is(job.status, 'COMPLETED');
  assert.ok(job.completedAt - job.createdAt < 30_000, 'nobody waited for a lease to run out');
  await second.stop();
});

test('a job that cannot be returned fails when its process stops', async () => {
  const gate = createGate();
  const runner = queue.runner({ restart: 'fail', run: gate.run });
  const jobId = await queue.submit();
  runner.start();
  await reaches(gate, 'running', 1);
  await runner.stop();
  assert.equal(pickMembers(await done(jobId), 'status', 'error'), ['FAILED', 'interrupted']);
});

test('errors of the caller are reported, internal ones are not, and an unreachable database is retried', async () => {
  const failures: unknown[] = [
    badRequest('The file is empty'),
    new Error('secret detail'),
    new CatalogError('unavailable', 'away'),
  ];
  const runner = queue.runner(
    {
      restart: 'resume',
      run: () => (failures.length > 0 ? Promise.reject(failures.shift()) : Promise.resolve({ message: 'Done' })),
    },
    { slots: 1, retryMs: 50 },
  );
  const jobIds = [await queue.submit(), await queue.submit(), await queue.submit()];
  runner.start();
  const [refused, broken, patient] = await Promise.all(jobIds.map(done));
  assert.equal(pickMembers(refused, 'status', 'error'), ['FAILED', 'The file is empty']);
  assert.equal(pickMembers(broken, 'status', 'error'), ['FAILED', `Internal server error, job ${jobIds[1]}`]);
  assert.equal(pickMembers(patient, 'status', 'message'), ['COMPLETED', 'Done']);
  assert.equal(queue.warnings, ['job failed', 'job postponed']);
  await runner.stop();
});

test('a job that repeatedly crashes its process fails', async () => {
  const jobId = await queue.submit();
  await abandon(jobId, ', n.attempts = 20');
  const runner = queue.runner({ restart: 'resume', run: () => assert.unreachable() as never });
  runner.start();
  assert.equal(pickMembers(await done(jobId), 'status', 'error'), ['FAILED', 'interrupted too often']);
  await runner.stop();
});

test('jobs beyond the limit of a user or of all are refused with 429', async () => {
  const jobs = openJobQueue(service.graph, { openPerPerson: 2 });
  const narrow = openTestQueue(service, jobs);
  const person = uniqueName('busy');
  const queued = [await narrow.submit({ person }), await narrow.submit({ person })];
  const refusal = await narrow.submit({ person }).catch((failure: unknown) => failure);
  assert.instance(refusal, CatalogError);
  assert.equal((refusal as CatalogError).body.code, 429);
  assert.equal((refusal as CatalogError).body.errorType, 'TOO_MANY_REQUESTS');
  await jobs.cancel(queued[0] ?? '');
  queued.push(await narrow.submit({ person }));
  const full = openTestQueue(service, openJobQueue(service.graph, { open: 1 }));
  assert.is(((await full.submit().catch((failure: unknown) => failure)) as CatalogError).code, 'too_many_requests');
  for (const jobId of queued) await jobs.cancel(jobId);
});

test('only the last hundred log lines are stored, oldest first', async () => {
  const runner = queue.runner({
    restart: 'resume',
    run: async (work) => {
      for (let at = 0; at < 120; at += 1) await work.save({ log: { level: 'WARN', text: `line ${at} of it` } });
      return { message: 'All told' };
    },
  });
  const jobId = await queue.submit();
  runner.start();
  await done(jobId);
  // A reader may meet the end of a job a moment before its last line: properties of a node are read one by one.
  const isWhole = (job: { logs: readonly { message: string }[] }) => job.logs.at(-1)?.message === 'All told';
  const { logs } = await waitForJob(service.admin, jobId, isWhole);
  assert.is(logs.length, 100);
  assert.equal(pickMembers(logs[0], 'jobId', 'level', 'message'), [jobId, 'WARN', 'line 21 of it']);
  assert.equal(pickMembers(logs[99], 'jobId', 'level', 'message'), [jobId, 'INFO', 'All told']);
  assert.equal(Object.keys(logs[0]).sort(), ['createdAt', 'jobId', 'level', 'logId', 'message']);
  assert.ok(Math.abs(logs[0].createdAt - Date.now()) < 60_000);
  await runner.stop();
});

/** A job that comes to be by a transaction of the caller's own, and is to be done here. */
const take = async () => {
  const actor = { id: '', name: 'admin', email: '', isAdmin: true, isBot: false, roles: [] };
  const job = { operation: queue.operation, entityType: 'table', targetFqn: 'x', actor, input: {} };
  const { jobId, steps, start } = queue.jobs.prepareImmediate(job);
  await service.app.engine.commit({ keys: [jobId], steps });
  return { jobId, begin: start };
};

test('a claimed job is run by its own process at once, however busy it is', async () => {
  const gate = createGate();
  const runner = queue.runner({ restart: 'resume', run: gate.run }, { slots: 1 });
  runner.start();
  const waiting = await queue.submit();
  await reaches(gate, 'running', 1);
  const { jobId, begin } = await take();
  assert.equal(pickMembers(await queue.jobs.read(jobId), 'status', 'attempts'), ['RUNNING', 1]);
  const begun = begin();
  await reaches(gate, 'running', 2);
  gate.state.isOpen = true;
  await begun;
  assert.is((await done(jobId)).status, 'COMPLETED', 'it is over when whoever took it hears of it');
  assert.is((await done(waiting)).status, 'COMPLETED');
  assert.is(gate.state.begun, 2);
  await runner.stop();
});

test('a claimed job of a dead process, or of one that runs no jobs, is run by another', async () => {
  let begun = 0;
  const operation = {
    restart: 'resume' as const,
    run: async () => {
      begun += 1;
      return {};
    },
  };
  const first = queue.runner(operation, { leaseMs: 1 });
  first.start();
  // Its transaction is committed, and the process is gone before it begins.
  const { jobId } = await take();
  await first.stop();
  const second = queue.runner(operation);
  const queued = await take();
  assert.is((await queue.jobs.read(queued.jobId))?.status, 'QUEUED');
  await queued.begin();
  second.start();
  for (const id of [jobId, queued.jobId]) assert.is((await done(id)).status, 'COMPLETED');
  assert.is(begun, 2);
  await second.stop();
});

test('a stopping process releases its claims, and callers that wait are notified', async () => {
  const gate = createGate();
  const runner = queue.runner({ restart: 'resume', run: gate.run });
  runner.start();
  const { jobId, begin } = await take();
  const begun = begin();
  await reaches(gate, 'running', 1);
  await runner.stop();
  await begun;
  assert.is((await queue.jobs.read(jobId))?.status, 'RUNNING');
  gate.state.isOpen = true;
  runner.start();
  assert.is((await done(jobId)).status, 'COMPLETED');
  await runner.stop();
});

test.run();
