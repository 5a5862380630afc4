import { BlockList, isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Determines the address of the caller. `X-Forwarded-For` counts only when a trusted proxy sent it, because callers can
 * forge it.
 */
export type ClientAddressOf = (peer: string | undefined, forwardedFor: string | undefined) => string;

/** The address of a request without a connection. */
export const UNKNOWN_ADDRESS = 'unknown';
/** The maximum number of proxies in a row that are followed. */
const MAX_HOPS = 20;

/** Converts IPv4-mapped IPv6 addresses to IPv4 and drops the zone, which has a meaning only on one machine. */
const normaliseAddress = (text: string): string => {
  const address = text
    .trim()
    .replace(/^\[|\]$/g, '')
    .replace(/%.*$/, '');
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address) ? address.slice(7) : address;
};

/** The network of an IPv6 address, because the holder of one address usually has a whole network. */
export const networkOf = (text: string): string => {
  const address = normaliseAddress(text);
  if (!isIPv6(address)) return address;
  const groups = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return groups.map((group) => group.toString(16)).join(':');
};

const addressFamily = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

const createRangeList = (ranges: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    if (bits === undefined) list.addAddress(address, addressFamily(address));
    else list.addSubnet(address, Number(bits), addressFamily(address));
  }
  return list;
};

/**
 * Answers the peer of the connection or, when that is a trusted proxy, the last address in `X-Forwarded-For` that is
 * not one. The caller may have forged every address before it.
 */
export const createClientAddressOf = (trustedProxies: readonly string[]): ClientAddressOf => {
  const trusted = createRangeList(trustedProxies);
  const isTrusted = (address: string): boolean => isIP(address) !== 0 && trusted.check(address, addressFamily(address));
  return (peer, forwardedFor) => {
    let client = peer === undefined ? UNKNOWN_ADDRESS : normaliseAddress(peer);
    if (trustedProxies.length === 0 || forwardedFor === undefined) return client;
    for (const hop of forwardedFor.split(',').slice(-MAX_HOPS).reverse()) {
      const next = normaliseAddress(hop);
      if (!isTrusted(client) || isIP(next) === 0) break;
      client = next;
    }
    return client;
  };
};
