import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { badRequest } from '../errors.ts';

/**
 * Decides which addresses a webhook may call: only public ones. A user who chooses the address must not reach hosts
 * that only this machine and its network can reach.
 */

/** What Azure serves to its own hosts only. To the registries of addresses, it is public. */
const AZURE_HOST_SERVICE = '168.63.129.16';

/** What lies outside this network is reserved, also where no registry gives it a purpose. */
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** IPv6 addresses that embed an IPv4 address in their last bits. */
const IPV4_EMBEDDING = ['::ffff:0:0/96', '::/96', '::ffff:0:0:0/96', '64:ff9b::/96'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
);

const isPublicIpv4 = (address: ipaddr.IPv4): boolean =>
  address.range() === 'unicast' && address.toString() !== AZURE_HOST_SERVICE;

const isPublicIpv6 = (address: ipaddr.IPv6): boolean =>
  IPV4_EMBEDDING.some((network) => address.match(network))
    ? isPublicIpv4(new ipaddr.IPv4(address.toByteArray().slice(12)))
    : address.range() === 'unicast' && address.match(PUBLIC_IPV6);

/**
 * Whether an address is publicly reachable and does not belong to this machine, its network or its hosting provider.
 */
export const isPublicAddress = (ip: string): boolean => {
  // The library also reads short, octal and hexadecimal forms, which are names elsewhere.
  if (isIP(ip) === 0) return false;
  const [address = ''] = ip.split('%', 1);
  return isIPv6(ip) ? isPublicIpv6(ipaddr.IPv6.parse(address)) : isPublicIpv4(ipaddr.IPv4.parse(address));
};

/** The host of a URL without the brackets around IPv6 addresses. */
export const hostOfUrl = (address: URL): string => address.hostname.replace(/^\[(.*)\]$/, '$1');

/**
 * Whether a host names this machine by definition (RFC 6761), whatever DNS says. The URL parser has already lowered the
 * case and normalized decimal, octal and hexadecimal addresses.
 */
export const isLocalHostname = (host: string): boolean => /(?:^|\.)localhost\.*$/.test(host.toLowerCase());

const privateAddressError = (address: string) =>
  badRequest(`[endpoint must not lead to a private address: ${new URL(address).host}]`);

export type AddressCheckOptions = { readonly allowPrivate: boolean; readonly canSendMail: boolean };

/**
 * Creates the check for addresses before they are stored. It throws bad_request for what says itself that it is private.
 * Names are not looked up before each call, because the answer would tell what the name servers of this network know.
 */
export const createAddressCheck =
  ({ allowPrivate, canSendMail }: AddressCheckOptions) =>
  async (address: string): Promise<void> => {
    if (new URL(address).protocol === 'mailto:') {
      if (canSendMail) return;
      throw badRequest('[destinations of the type Email need a mail server, and SMTP_URL names none]');
    }
    if (allowPrivate) return;
    const host = hostOfUrl(new URL(address));
    if (isLocalHostname(host) || (isIP(host) !== 0 && !isPublicAddress(host))) throw privateAddressError(address);
  };
