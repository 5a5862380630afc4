import type { CatalogError } from '../errors.ts';
import { errorAnswer } from '../http/error-answer.ts';
import { answerHtmlPage } from '../http/html-page.ts';
import type { Answer, Call } from '../http/route.ts';
import { escapeHtml } from '../model/html.ts';

/**
 * Answers a failed sign-in: a page for browsers, the usual error body for everybody else. The messages are the service's
 * own: nothing that the provider or the address says is shown.
 */
export const answerSignInFailure = (
  call: Call,
  failure: CatalogError,
  cookies: readonly string[],
  signInAddress: string,
): Answer => {
  const answer = errorAnswer(failure);
  if (!call.header('accept')?.includes('text/html')) return { ...answer, cookies };
  const page = answerHtmlPage({
    status: answer.status,
    title: 'Sign-in failed',
    content: `<p>${escapeHtml(failure.message)}.</p><p><a href="${escapeHtml(signInAddress)}">Sign in again</a></p>`,
    formAction: "'none'",
  });
  return { ...page, headers: { ...answer.headers, ...page.headers }, cookies };
};
