import { once } from 'node:events';
import * as assert from 'uvu/assert';
import { findAdministrator } from '../../src/system/queries.ts';
import { waitFor } from '../support/patience.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { anonymous, openService } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that the service is ready only while the database responds. */

const test = suite('system: readiness');

/** The connections that all work of an application shares. */
const CONNECTIONS = 50;

test('the service is ready while all its connections to the database are busy', async () => {
  const service = await openService();
  const finish = new AbortController();
  const finished = once(finish.signal, 'abort');
  let busy = 0;
  const hold = () =>
    service.graph.write(async (transaction) => {
      await transaction.run(findAdministrator, { preferred: 'nobody' });
      busy += 1;
      await finished;
      busy -= 1;
    });
  const held = Promise.all(Array.from({ length: CONNECTIONS }, hold));
  try {
    await waitFor(
      () => busy,
      (count) => count === CONNECTIONS,
      'all connections are busy',
    );
    // An answer may be a second old, so a process is asked that has not looked yet.
    const { app } = await openSecondProcessWith(service, {});
    const { status, json } = await anonymous({ ...service, app }).get('/v1/system/ready');
    assert.equal([status, json], [200, { status: 'ready' }]);
    assert.is(busy, CONNECTIONS, 'none was free in the meantime');
  } finally {
    finish.abort();
    await held;
  }
});

test.run();
