// Tokens are revoked by the ids that their list shows.
CREATE INDEX IssuedToken_id IF NOT EXISTS FOR (n:IssuedToken) ON (n.id)
