// The sessions that a provider began are found by what it calls the session there.
CREATE INDEX Session_provider_session IF NOT EXISTS FOR (n:Session) ON (n.providerSession)
