// Counts Tributary's open transactions of one kind: backups, restores or writes.
SHOW TRANSACTIONS YIELD metaData
WHERE metaData.tributary = $mark
RETURN count(*) AS running
