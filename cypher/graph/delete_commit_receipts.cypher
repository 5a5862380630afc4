// Removes some receipts that are older than anything that is sent again.
MATCH (receipt:Receipt)
WHERE receipt.createdAt < timestamp() - toInteger($ageMs)
WITH receipt LIMIT toInteger($limit)
DELETE receipt
RETURN count(*) AS removed
