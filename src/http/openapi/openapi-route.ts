import type { Route } from '../route.ts';
import { serveContent } from '../served-content.ts';
import { buildOpenApiDocument, type OpenApiOptions } from './document.ts';

/** Declares `GET /openapi.json`. The document is built on first use, whoever asks for it how often. */
export const openApiRoute = (routes: () => readonly Route[], options: OpenApiOptions): Route => ({
  method: 'GET',
  path: '/openapi.json',
  summary: 'Get the OpenAPI document',
  tag: 'System',
  access: 'public',
  responses: { 200: undefined, 304: undefined },
  handle: serveContent({
    mediaType: 'application/json',
    read: () => JSON.stringify(buildOpenApiDocument(routes(), options)),
  }),
});
