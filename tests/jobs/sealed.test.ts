import * as assert from 'uvu/assert';
import { ok } from '../support/expect.ts';
import { waitUntil } from '../support/patience.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that queued jobs store the secrets of their requests sealed and never return them. */

const test = suite('jobs: sealed requests');

const PATH = '/v1/services/databaseServices';
const SECRET = 'hunter2-Zq83';

let service: Service;

test.before(async () => {
  service = await openService();
});

test.after(() => service.app.runner.start());

const kept = async (jobId: string): Promise<string> => {
  const rows = await service.graph.query(
    `MATCH (n) WHERE (n:Job OR n:JobPiece) AND n.jobId = $jobId RETURN properties(n) AS properties`,
    { jobId },
  );
  assert.ok(rows.length > 0, 'the job is kept');
  return JSON.stringify(rows);
};

const connection = (type: string) => ({
  config: {
    type,
    password: SECRET,
    hostPort: `mysql://reader:${SECRET}@db:3306`,
    sslConfig: { sslKey: SECRET },
    connectionArguments: { pwd: SECRET },
  },
});

test('rows of a queued bulk request are stored sealed, applied as sent, and masked in the result', async () => {
  const [name, wrong, user] = [uniqueName('sealed'), uniqueName('sealed'), uniqueName('sealed')];
  const rows = [
    { name, serviceType: 'Mysql', connection: connection('Mysql') },
    { name: wrong, serviceType: 'Mysql', connection: connection('Oracle') },
  ];
  await service.app.runner.stop();
  const jobs: string[] = [];
  for (const [path, body] of [
    [PATH, rows],
    ['/v1/users', [{ name: user, email: 'no address', password: `${SECRET}-A1!` }]],
  ] as const) {
    const reply = await service.admin.put(`${path}/bulk?async=true`, body);
    ok(reply, 202);
    jobs.push(reply.headers.get('x-job-id') ?? '');
    assert.not.match(reply.text, /hunter2/);
  }
  for (const jobId of jobs) assert.not.match(await kept(jobId), /hunter2/);
  service.app.runner.start();
  for (const jobId of jobs) {
    await waitUntil(
      async () => ok(await service.admin.get(`/v1/jobs/${jobId}`)).status === 'COMPLETED',
      'the job is done',
    );
    assert.not.match(await kept(jobId), /hunter2/);
    for (const base of ['/v1/jobs', '/v1/csvAsyncJobs']) {
      for (const path of ['', '/result']) {
        assert.not.match((await service.admin.get(`${base}/${jobId}${path}`)).text, /hunter2/, path);
      }
    }
  }
  const { result } = ok(await service.admin.get(`/v1/jobs/${jobs[0]}`));
  assert.equal([result.numberOfRowsPassed, result.numberOfRowsFailed], [1, 1]);
  assert.is(result.failedRequest[0].request.name, wrong);
  const made = ok(await service.admin.get(`${PATH}/name/${name}`));
  assert.equal(made.connection, connection('Mysql'), 'what was sealed on the way arrives as it was sent');
  assert.not.match(service.logged.join(''), /hunter2/);
});

test.run();
