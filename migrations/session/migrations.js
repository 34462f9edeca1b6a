import journal from './meta/_journal.json';
import m0000 from './0000_initial.sql';
import m0001 from './0001_session_metadata.sql';
import m0002 from './0002_attention.sql';
import m0003 from './0003_triggers.sql';
import m0004 from './0004_turn_result.sql';
import m0005 from './0005_generated_titles.sql';
import m0006 from './0006_push_attempts.sql';

  export default {
    journal,
    migrations: {
      m0000,
m0001,
m0002,
m0003,
m0004,
m0005,
m0006
    }
  }
  