// Answers how often logins with an address have failed of late, and until when that counts.
MATCH (failed:FailedLogin {key: $key})
RETURN failed.count AS count, failed.expiresAt AS expiresAt
