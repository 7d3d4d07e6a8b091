import com.alibaba.otter.canal.connector.kafka.producer.CanalKafkaProducer;
import com.alibaba.otter.canal.instance.core.CanalMQConfig;
import com.alibaba.otter.canal.instance.manager.CanalInstanceWithManager;
import com.alibaba.otter.canal.instance.manager.model.Canal;
import com.alibaba.otter.canal.instance.manager.model.CanalParameter;
import com.alibaba.otter.canal.parse.inbound.mysql.MysqlEventParser;
import com.alibaba.otter.canal.parse.inbound.mysql.tsdb.DatabaseTableMeta;
import com.alibaba.otter.canal.parse.inbound.mysql.tsdb.DefaultTableMetaTSDBFactory;
import com.alibaba.otter.canal.parse.inbound.mysql.tsdb.TableMetaTSDB;
import com.alibaba.otter.canal.parse.inbound.mysql.tsdb.dao.MetaHistoryDAO;
import com.alibaba.otter.canal.parse.inbound.mysql.tsdb.dao.MetaHistoryDO;
import com.alibaba.otter.canal.parse.inbound.mysql.tsdb.dao.MetaSnapshotDAO;
import com.alibaba.otter.canal.parse.inbound.mysql.tsdb.dao.MetaSnapshotDO;
import com.alibaba.otter.canal.server.CanalMQStarter;
import com.alibaba.otter.canal.server.embedded.CanalServerWithEmbedded;
import java.io.FileInputStream;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Properties;

/**
 * Starts one instance as Canal's deployer does, whose 1.1.7 is in no Maven repository: the parser, the sink, the store
 * and the Kafka producer that write every byte are Canal's own.
 */
public class CanalServer {
    public static void main(String[] arguments) throws Exception {
        Properties settings = new Properties();
        try (FileInputStream file = new FileInputStream(arguments[0])) {
            settings.load(file);
        }
        // the flat producer wants parsed entries
        System.setProperty("canal.instance.memory.rawEntry", "false");
        CanalKafkaProducer producer = new CanalKafkaProducer();
        producer.init(settings);
        String destination = settings.getProperty("destination");
        CanalServerWithEmbedded server = CanalServerWithEmbedded.instance();
        server.setCanalInstanceGenerator(name -> new Instance(parameters(name, settings), settings));
        server.start();
        server.start(destination);
        new CanalMQStarter(producer).start(destination);
        Thread.currentThread().join();
    }

    private static final class Instance extends CanalInstanceWithManager {
        Instance(Canal canal, Properties settings) {
            super(canal, settings.getProperty("canal.instance.filter.regex"));
            keepTableHistory((MysqlEventParser) eventParser);
            mqConfig = new CanalMQConfig();
            mqConfig.setTopic(settings.getProperty("canal.mq.topic"));
            mqConfig.setDynamicTopic(settings.getProperty("canal.mq.dynamicTopic"));
            String hash = settings.getProperty("canal.mq.partitionHash");
            if (hash == null) {
                mqConfig.setPartition(0);
            } else {
                mqConfig.setPartitionHash(hash);
                mqConfig.setPartitionsNum(Integer.valueOf(settings.getProperty("canal.mq.partitionsNum")));
            }
        }
    }

    private static Canal parameters(String name, Properties settings) {
        String place = "{\"journalName\":\"%s\",\"position\":%s}"
                .formatted(settings.getProperty("binlog.file"), settings.getProperty("binlog.place"));
        CanalParameter told = new CanalParameter();
        told.setSourcingType(CanalParameter.SourcingType.MYSQL);
        told.setMetaMode(CanalParameter.MetaMode.MEMORY);
        told.setIndexMode(CanalParameter.IndexMode.MEMORY);
        told.setStorageMode(CanalParameter.StorageMode.MEMORY);
        told.setMemoryStorageRawEntry(false);
        told.setHaMode(CanalParameter.HAMode.HEARTBEAT);
        told.setDetectingEnable(false);
        told.setDbAddresses(List.of(
                new InetSocketAddress("127.0.0.1", Integer.parseInt(settings.getProperty("database.port")))));
        told.setDbUsername("cdc");
        told.setDbPassword("cdc");
        told.setDefaultDatabaseName("shop");
        told.setSlaveId(Long.valueOf(settings.getProperty("canal.slaveId")));
        told.setPositions(List.of(place));
        told.setConnectionCharset("UTF-8");
        told.setConnectionCharsetNumber((byte) 33);
        told.setTsdbEnable(false);
        told.setGtidEnable(false);
        told.setParallel(false);
        Canal canal = new Canal();
        canal.setId(1L);
        canal.setName(name);
        canal.setCanalParameter(told);
        return canal;
    }

    /** Canal's table history, on by default, whose storage a Spring file of the deployer would name; this one forgets. */
    private static void keepTableHistory(MysqlEventParser parser) {
        DatabaseTableMeta history = new DatabaseTableMeta();
        history.setMetaHistoryDAO(new Histories());
        history.setMetaSnapshotDAO(new Snapshots());
        parser.setTableMetaTSDBFactory(new DefaultTableMetaTSDBFactory() {
            @Override
            public TableMetaTSDB build(String destination, String springXml) {
                return history;
            }

            @Override
            public void destory(String destination) { }
        });
        parser.setTsdbJdbcUrl("");
        parser.setTsdbJdbcUserName("");
        parser.setTsdbJdbcPassword("");
        parser.setTsdbSpringXml("none");
        parser.setEnableTsdb(true);
    }

    private static final class Histories extends MetaHistoryDAO {
        @Override
        public Long insert(MetaHistoryDO row) {
            return 1L;
        }

        @Override
        public List<MetaHistoryDO> findByTimestamp(String destination, Long from, Long to) {
            return List.of();
        }

        @Override
        public Integer deleteByName(String destination) {
            return 0;
        }

        @Override
        protected void checkDaoConfig() { }
    }

    private static final class Snapshots extends MetaSnapshotDAO {
        @Override
        public Long insert(MetaSnapshotDO row) {
            return 1L;
        }

        @Override
        public Long update(MetaSnapshotDO row) {
            return 1L;
        }

        @Override
        public MetaSnapshotDO findByTimestamp(String destination, Long time) {
            return null;
        }

        @Override
        public Integer deleteByName(String destination) {
            return 0;
        }

        @Override
        protected void checkDaoConfig() { }
    }
}
