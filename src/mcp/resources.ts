import { badRequest, recordNotFound } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { assetPath, MAX_OFFSET, searchSources } from './assets.ts';
import { cleanPage, spellName } from './foreign-text.ts';
import type { ToolContext } from './tool.ts';

/** Assets as resources: `tributary://asset/table/shop.db.public.orders` is the Markdown page of that table. */

const PREFIX = 'tributary://asset/';

export const RESOURCE_TEMPLATE = {
  uriTemplate: `${PREFIX}{type}/{fqn}`,
  name: 'asset',
  title: 'Page of an asset',
  description: 'What a person or a program should know of an asset, by its entity type and encoded full name',
  mimeType: 'text/markdown',
};

/** Clients that walk all pages by themselves give up after some dozens: all of them together reach the last offset. */
const PAGE = 250;

const parseOffset = (cursor: string | undefined): number => {
  if (cursor === undefined) return 0;
  const offset = Number(cursor);
  if (!/^\d+$/.test(cursor) || offset % PAGE !== 0 || offset > MAX_OFFSET)
    throw badRequest('[cursor is not one of this service]');
  return offset;
};

/** Lists the assets that the caller may see, page by page. Those beyond the bound of a search are found by searching. */
export const listResources = async (context: ToolContext, cursor: string | undefined) => {
  const from = parseOffset(cursor);
  const { sources, total } = await searchSources(context, {
    q: '*',
    from,
    size: PAGE,
    sort_field: 'fullyQualifiedName.keyword',
    sort_order: 'asc',
    include_source_fields: 'fullyQualifiedName,entityType',
  });
  const resources = sources.map((source: JsonObject) => {
    const fqn = String(source['fullyQualifiedName']);
    const type = String(source['entityType']);
    return {
      uri: `${PREFIX}${type}/${encodeURIComponent(fqn)}`,
      name: spellName(fqn),
      title: spellName(`${type} ${fqn}`),
      mimeType: 'text/markdown',
    };
  });
  const next = from + PAGE;
  if (sources.length < PAGE || next >= total) return { resources };
  if (next <= MAX_OFFSET) return { resources, nextCursor: String(next) };
  return { resources, _meta: { 'tributary/omitted': `${total - next} more assets, which the tool search finds` } };
};

const decodeName = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw badRequest('[uri is not percent-encoded correctly]', cause);
  }
};

export const readResource = async ({ api, paths }: ToolContext, uri: string) => {
  const [type = '', name = '', ...others] = uri.startsWith(PREFIX) ? uri.slice(PREFIX.length).split('/') : [];
  const path = paths.get(type);
  if (path === undefined || name === '' || others.length > 0) throw recordNotFound('resource', uri);
  const { text } = await api.read({ path: `${assetPath(path, decodeName(name))}/context` });
  return { contents: [{ uri, mimeType: 'text/markdown', text: cleanPage(text) }] };
};
