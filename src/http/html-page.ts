import type { Answer } from './route.ts';

/** A page without styles or scripts, for people whom a link leads here. */
export type HtmlPage = {
  readonly status: number;
  /** The title is plain words of the service; the content is HTML, whose texts are escaped. */
  readonly title: string;
  readonly content: string;
  /** Where the forms of the page may lead: to this service, or nowhere. */
  readonly formAction: "'self'" | "'none'";
};

/** Answers a page that loads nothing, that no other page may frame, and that no cache keeps. */
export const answerHtmlPage = ({ status, title, content, formAction }: HtmlPage): Answer => ({
  status,
  headers: {
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
  },
  text: {
    mediaType: 'text/html; charset=utf-8',
    content: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body><h1>${title}</h1>${content}</body>
</html>
`,
  },
});
