-- One byte for each dimension is enough to order memories.
ALTER TABLE vectors DROP COLUMN exact;
