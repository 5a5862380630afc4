import * as assert from 'uvu/assert';
import { CatalogError } from '../../src/errors.ts';
import { createAddressCheck, isPublicAddress } from '../../src/events/public-address.ts';
import { suite } from '../support/suite.ts';

/** Shows that private addresses are refused as webhook targets. */

const test = suite('events: public addresses');

const PUBLIC = [
  '8.8.8.8',
  '1.1.1.1',
  '172.15.0.1',
  '172.32.0.1',
  '100.63.0.1',
  '2606:4700::1111',
  '2a00:1450::1',
  '::ffff:8.8.8.8',
];

const PRIVATE = [
  '127.0.0.1',
  '127.9.9.9',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '168.63.129.16',
  '100.64.0.1',
  '100.127.255.255',
  '192.0.0.192',
  '198.18.0.1',
  '203.0.113.7',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '0:0:0:0:0:ffff:a9fe:a9fe',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a00:1',
  '2002:7f00:1::',
  '2001::1',
  '2001:db8::1',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'fd00:ec2::254',
  'ff02::1',
  '3fff::1',
  'not an address',
  '',
];

test('public addresses are distinguished from local and private ones', () => {
  for (const ip of PUBLIC) assert.is(isPublicAddress(ip), true, ip);
  for (const ip of PRIVATE) assert.is(isPublicAddress(ip), false, ip);
});

const check = createAddressCheck({ allowPrivate: false, canSendMail: false });

const refusal = async (address: string): Promise<string> => {
  try {
    await check(address);
  } catch (failure) {
    assert.instance(failure, CatalogError);
    assert.is((failure as CatalogError).status, 400);
    return (failure as Error).message;
  }
  return assert.unreachable(`${address} was let through`) as never;
};

test('a private address is refused in any notation', async () => {
  for (const host of [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '169.254.169.254',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[fd00::1]',
  ]) {
    assert.match(await refusal(`http://${host}:8080/x`), /must not lead to a private address/);
  }
});

test('public addresses and all names are accepted, and private ones where allowed', async () => {
  for (const host of ['8.8.8.8', '[2606:4700::1111]', 'public.example', 'unknown.example', 'nobody.invalid']) {
    await check(`https://user:secret@${host}/x`);
  }
  const lenient = createAddressCheck({ allowPrivate: true, canSendMail: false });
  await lenient('http://127.0.0.1/');
});

test('names of the local machine and addresses in any notation are refused', async () => {
  for (const host of [
    ...['localhost', 'localhost.', 'LOCALHOST', 'LocalHost.', 'a.localhost', 'A.B.LOCALHOST.', 'a.localhost..'],
    ...[
      '127.0.0.1.',
      '2130706433',
      '0x7f000001',
      '0x7f.1',
      '0177.0.0.1',
      '127.1',
      '[::ffff:127.0.0.1]',
      '[::FFFF:7F00:1]',
    ],
    ...['%6cocalhost', 'ｌｏｃａｌｈｏｓｔ', '1２7.0.0.1'],
  ]) {
    try {
      await check(`http://${host}:8080/x`);
      assert.unreachable(`${host} was let through`);
    } catch (failure) {
      assert.match((failure as Error).message, /must not lead to a private address/, host);
    }
  }
  for (const host of ['localhost.example.org', 'notlocalhost', 'my-localhost.org']) await check(`http://${host}/x`);
});

test.run();
