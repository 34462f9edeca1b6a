-- Renames the field `wish` of `open_pr` to `pending`.
UPDATE `session` SET `open_pr` = json_set(json_remove(`open_pr`, '$.wish'), '$.pending', json_extract(`open_pr`, '$.wish')) WHERE json_type(`open_pr`, '$.wish') IS NOT NULL;
