// Counts the transactions of Tributary of one sort that are open at this moment: backups, restores or writes.
SHOW TRANSACTIONS YIELD metaData
WHERE metaData.tributary = $mark
RETURN count(*) AS running
