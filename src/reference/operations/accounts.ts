/** What the operations on accounts, permissions and notifications do, by method and path. */
export const ACCOUNT_OPERATIONS: Readonly<Record<string, string>> = {
  'GET /v1/users/loggedInUser': 'Returns the user whose token the request has.',
  'GET /v1/teams/hierarchy': 'Returns the teams as a tree, each with its children.',
  'POST /v1/users/login':
    'Checks an e-mail address and a password and begins a session. Returns an access token and a refresh token. After several failures the account and the address of the caller have to wait.',
  'POST /v1/users/refresh':
    'Exchanges a refresh token for a new access token and a new refresh token. A refresh token that is used twice ends its session.',
  'POST /v1/users/logout': 'Ends the session of the access token and of the refresh token in the body.',
  'POST /v1/users/signup': 'Creates a user with a password. Refused where the operator has not enabled self-signup.',
  'GET /v1/users/signin':
    'Sends a browser to the OpenID provider that the operator has configured, where the person signs in.',
  'GET /v1/users/signin/callback':
    'Takes what the provider sends the browser back with, begins a session, sets its cookie, and redirects to the page to return to. Each sign-in is completed once, by the browser that began it.',
  'POST /v1/users/signin/backchannel-logout':
    'Takes a logout token of the provider (OpenID Connect Back-Channel Logout 1.0) and ends the sessions that began there: those of the person, or the one that the token names. Each token counts once, and for ten minutes.',
  'POST /v1/users/session':
    'Checks an e-mail address and a password as the login does. Returns an access token, and sets the refresh token as a cookie that no script can read. Only pages of the service may ask.',
  'PUT /v1/users/session':
    'Returns an access token for the session of the cookie, and sets the next refresh token as its cookie. One that is used twice ends the session, except within ten seconds, when two tabs may have sent it. Only pages of the service may ask.',
  'DELETE /v1/users/session':
    'Ends the session of the cookie and removes it. Returns where to sign out of the provider as well, if it began the session. Only pages of the service may ask.',
  'PUT /v1/users/generateToken/{id}':
    'Makes a new token for a bot and revokes the one it had. The token is shown in this answer and to administrators.',
  'PUT /v1/users/revokeToken': 'Revokes the token of a bot at once. The bot can do nothing until it gets a new one.',
  'GET /v1/users/auth-mechanism/{id}': 'Returns how a user or bot proves who it is, with the token of a bot.',
  'PUT /v1/users/security/token':
    'Makes a token by which programs act for the caller until it expires or is revoked. The service keeps no copy: only this answer contains it.',
  'GET /v1/users/security/token': 'Returns the personal access tokens of the caller with their names and expiry.',
  'PUT /v1/users/security/token/revoke': 'Revokes the personal access tokens with these IDs, and returns the others.',
  'GET /v1/users/{id}/tokens':
    'Returns the personal access tokens of a user: when they expire and were last used, and not the tokens themselves.',
  'DELETE /v1/users/{id}/tokens': 'Revokes every personal access token of a user at once.',
  'DELETE /v1/users/{id}/tokens/{tokenId}': 'Revokes one personal access token of a user at once.',
  'GET /v1/users/{id}/sessions': 'Returns the sessions that a user began by logging in, and when they were last used.',
  'DELETE /v1/users/{id}/sessions': 'Ends every session of a user: all their access and refresh tokens become invalid.',
  'DELETE /v1/users/{id}/sessions/{sessionId}': 'Ends one session of a user.',
  'GET /v1/users/{id}/identities':
    'Returns who a user is at identity providers: the subject that the account was linked to at the first sign-in there.',
  'DELETE /v1/users/{id}/identities':
    'Unlinks a user from every subject of identity providers, and ends the sessions that began there. The next sign-in with the e-mail address of the account links it again. Administrators alone unlink accounts.',
  'GET /v1/permissions': 'Returns what the caller may do with assets of each kind, and the rules that decide it.',
  'GET /v1/permissions/policies': 'Returns what a set of policies would allow on assets of each kind.',
  'GET /v1/permissions/{resource}': 'Returns what the caller may do with assets of one kind in general.',
  'GET /v1/permissions/{resource}/{id}':
    'Returns what the caller may do with the asset with this ID, which also depends on its owners, tags and domains.',
  'GET /v1/permissions/{resource}/name/{fqn}':
    'Returns what the caller may do with the asset with this fully qualified name.',
  'GET /v1/notifications': 'Returns a page of the notifications of the caller, newest first, all or only the unread.',
  'GET /v1/notifications/count': 'Counts the notifications of the caller, all and unread.',
  'GET /v1/notifications/preferences': 'Returns which notifications the caller wants.',
  'PUT /v1/notifications/preferences': 'Sets which notifications the caller wants, from now on.',
  'PUT /v1/notifications/read': 'Marks all notifications of the caller up to a time as read, and counts them.',
  'GET /v1/notifications/{id}': 'Returns one notification of the caller.',
  'DELETE /v1/notifications/{id}': 'Deletes one notification of the caller and returns it.',
  'PUT /v1/notifications/{id}/read': 'Marks one notification of the caller as read or unread.',
  'GET /v1/notifications/subscriptions':
    'Returns the mail subscriptions of the caller. An administrator may ask for those of everybody, page by page.',
  'POST /v1/notifications/subscriptions':
    'Mails the caller, from now on, what arrives in their inbox about what they own or follow. Needs no right, and a mail server.',
  'GET /v1/notifications/subscriptions/{id}':
    'Returns one mail subscription: for administrators any, for everybody else one of their own.',
  'PUT /v1/notifications/subscriptions/{id}': 'Replaces what a mail subscription of the caller selects, and its pause.',
  'DELETE /v1/notifications/subscriptions/{id}':
    'Ends a mail subscription and returns it: for administrators any, for everybody else one of their own.',
  'GET /v1/notifications/unsubscribe':
    'Shows the page that the link in a mail leads to. Looking at it ends nothing; its button does.',
  'POST /v1/notifications/unsubscribe':
    'Ends the mails that the token of a mail names, as the button of mail programs does (RFC 8058): a mail subscription, or what an event subscription mails to one person.',
  'GET /v1/notifications/mailOptOuts':
    'Returns a page of the event subscriptions that mail the caller no more, because the caller ended that by the link of a mail.',
  'DELETE /v1/notifications/mailOptOuts/{id}':
    'Lets the event subscription with this ID mail the caller again, and returns what had ended it.',
  'GET /v1/audit': 'Returns a page of the audit log: who did what, from where, and whether it was allowed.',
  'GET /v1/audit/export':
    'Streams the audit log, one JSON object per line. Each entry holds the hash of the one before, so that changes and gaps show.',
};
