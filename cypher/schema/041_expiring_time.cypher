// What has had its time is found by when that was.
CREATE INDEX Expiring_expiresAt IF NOT EXISTS FOR (n:Expiring) ON (n.expiresAt)
