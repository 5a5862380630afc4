import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { badRequest } from '../errors.ts';

/**
 * Decides which addresses a webhook may call: only public ones. A user who chooses the address must not reach hosts
 * that only this machine and its network can reach.
 */

type Subnet = readonly [network: string, prefix: number];

const PRIVATE_IPV4: readonly Subnet[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** The public range of IPv6, apart from these subnets. */
const PUBLIC_IPV6: Subnet = ['2000::', 3];
const PRIVATE_IPV6: readonly Subnet[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const createBlockList = (nets: readonly Subnet[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList();
  for (const [network, prefix] of nets) list.addSubnet(network, prefix, family);
  return list;
};

const privateIpv4 = createBlockList(PRIVATE_IPV4, 'ipv4');
const publicIpv6 = createBlockList([PUBLIC_IPV6], 'ipv6');
const privateIpv6 = createBlockList(PRIVATE_IPV6, 'ipv6');

/** Parses an IPv6 address into its eight groups, including a trailing IPv4 address. */
const parseIpv6Groups = (ip: string): number[] => {
  const plain = (ip.split('%')[0] ?? '').replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_text, a, b, c, d) =>
    [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((group) => group.toString(16)).join(':'),
  );
  const [head = '', tail] = plain.split('::');
  const parse = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [left, right] = [parse(head), parse(tail ?? '')];
  const gap = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...new Array<number>(Math.max(0, gap)).fill(0), ...right];
};

const startsWithGroups = (groups: readonly number[], start: readonly number[]): boolean =>
  start.every((group, at) => groups[at] === group);

/** The prefixes of IPv6 addresses that embed an IPv4 address in their last bits. */
const IPV4_EMBEDDING_PREFIXES: readonly (readonly number[])[] = [
  [0, 0, 0, 0, 0, 0xffff],
  [0, 0, 0, 0, 0, 0],
  [0, 0, 0, 0, 0xffff, 0],
  [0x64, 0xff9b, 0, 0, 0, 0],
];

/** The IPv4 address that an IPv6 address embeds, if any. */
const embeddedIpv4 = (ip: string): string | undefined => {
  const groups = parseIpv6Groups(ip);
  if (!IPV4_EMBEDDING_PREFIXES.some((prefix) => startsWithGroups(groups, prefix))) return undefined;
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
};

/**
 * Whether an address is publicly reachable and does not belong to this machine, its network or its hosting provider.
 */
export const isPublicAddress = (ip: string): boolean => {
  if (isIP(ip) === 0) return false;
  if (!isIPv6(ip)) return !privateIpv4.check(ip);
  const embedded = embeddedIpv4(ip);
  if (embedded !== undefined) return !privateIpv4.check(embedded);
  return publicIpv6.check(ip, 'ipv6') && !privateIpv6.check(ip, 'ipv6');
};

/** The host of a URL without the brackets around IPv6 addresses. */
export const hostOfUrl = (address: URL): string => address.hostname.replace(/^\[(.*)\]$/, '$1');

/**
 * Whether a host names this machine by definition (RFC 6761), whatever DNS says. The URL parser has already lowered the
 * case and normalized decimal, octal and hexadecimal addresses.
 */
export const isLocalHostname = (host: string): boolean => /(?:^|\.)localhost\.*$/.test(host.toLowerCase());

/** Resolves a host name to all its addresses; none when the name is unknown. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

const RESOLVE_TIMEOUT_MS = 3000;

const resolveHost: ResolveHost = async (host) => {
  const found = lookup(host, { all: true, verbatim: true }).then(
    (entries) => entries.map(({ address }) => address),
    // A name may become known later; the webhook caller checks its addresses again on each call.
    () => [],
  );
  const late = sleep(RESOLVE_TIMEOUT_MS, [], { ref: false });
  return Promise.race([found, late]);
};

const privateAddressError = (address: string) =>
  badRequest(`[endpoint must not lead to a private address: ${new URL(address).host}]`);

export type AddressCheckOptions = {
  readonly allowPrivate: boolean;
  readonly resolve?: ResolveHost;
};

/** Creates the check for addresses before they are stored. It throws bad_request for a private address. */
export const createAddressCheck =
  ({ allowPrivate, resolve = resolveHost }: AddressCheckOptions) =>
  async (address: string): Promise<void> => {
    if (allowPrivate) return;
    const host = hostOfUrl(new URL(address));
    if (isLocalHostname(host)) throw privateAddressError(address);
    const addresses = isIP(host) === 0 ? await resolve(host) : [host];
    if (addresses.some((ip) => !isPublicAddress(ip))) throw privateAddressError(address);
  };
