import com.alibaba.otter.canal.connector.core.spi.CanalMQProducer;
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
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * Starts one Canal instance that writes to Kafka, as canal.deployer does (which is not published at this
 * version). Every byte on Kafka is written by Canal's own parser, sink and Kafka producer.
 *
 * <p>Usage: {@code java -cp 'lib/*' CanalMain.java canal.properties}
 */
public class CanalMain {
    private static final String DESTINATION = "shop";

    public static void main(String[] args) throws Exception {
        Properties settings = new Properties();
        try (InputStream in = new FileInputStream(args[0])) {
            settings.load(in);
        }
        CanalMQProducer producer = new CanalKafkaProducer();
        producer.init(settings);
        // The deployer does the same: JSON messages need parsed entries, not raw bytes.
        System.setProperty("canal.instance.memory.rawEntry", "false");

        CanalServerWithEmbedded server = CanalServerWithEmbedded.instance();
        server.setCanalInstanceGenerator(name -> new Instance(description(settings), settings));
        server.start();
        server.start(DESTINATION);
        new CanalMQStarter(producer).start(DESTINATION);
        Thread.currentThread().join();
    }

    /** The instance: table filter, table history and the Kafka topic. */
    private static class Instance extends CanalInstanceWithManager {
        Instance(Canal canal, Properties settings) {
            super(canal, settings.getProperty("canal.instance.filter.regex"));
            keepTableHistory((MysqlEventParser) eventParser);
            mqConfig = new CanalMQConfig();
            mqConfig.setTopic(settings.getProperty("canal.mq.topic"));
            mqConfig.setPartition(0);
        }
    }

    /**
     * Canal's table history (canal.instance.tsdb.enable=true, its default), held in memory. Without it the
     * first altered or dropped table stops the stream for good.
     */
    private static void keepTableHistory(MysqlEventParser parser) {
        DatabaseTableMeta tables = new DatabaseTableMeta();
        tables.setMetaHistoryDAO(new NoHistory());
        tables.setMetaSnapshotDAO(new NoSnapshots());
        parser.setTableMetaTSDBFactory(new DefaultTableMetaTSDBFactory() {
            @Override
            public TableMetaTSDB build(String destination, String springXml) {
                return tables;
            }

            @Override
            public void destory(String destination) {}
        });
        // The parser reads all four, whatever the factory does with them.
        parser.setTsdbJdbcUrl("");
        parser.setTsdbJdbcUserName("");
        parser.setTsdbJdbcPassword("");
        parser.setTsdbSpringXml("none");
        parser.setEnableTsdb(true);
    }

    private static class NoHistory extends MetaHistoryDAO {
        @Override
        public Long insert(MetaHistoryDO entry) {
            return 1L;
        }

        @Override
        public List<MetaHistoryDO> findByTimestamp(String destination, Long from, Long to) {
            return new ArrayList<>();
        }

        @Override
        public Integer deleteByName(String destination) {
            return 0;
        }

        @Override
        protected void checkDaoConfig() {}
    }

    private static class NoSnapshots extends MetaSnapshotDAO {
        @Override
        public Long insert(MetaSnapshotDO snapshot) {
            return 1L;
        }

        @Override
        public Long update(MetaSnapshotDO snapshot) {
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
        protected void checkDaoConfig() {}
    }

    /** Where the binary log is and where to begin in it. */
    private static Canal description(Properties settings) {
        CanalParameter parameter = new CanalParameter();
        parameter.setSourcingType(CanalParameter.SourcingType.MYSQL);
        parameter.setMetaMode(CanalParameter.MetaMode.MEMORY);
        parameter.setIndexMode(CanalParameter.IndexMode.MEMORY);
        parameter.setStorageMode(CanalParameter.StorageMode.MEMORY);
        parameter.setHaMode(CanalParameter.HAMode.HEARTBEAT);
        parameter.setMemoryStorageBufferSize(1024);
        parameter.setMemoryStorageRawEntry(false);
        int port = Integer.parseInt(settings.getProperty("db.port"));
        parameter.setDbAddresses(new ArrayList<>(List.of(new InetSocketAddress("127.0.0.1", port))));
        parameter.setDbUsername(settings.getProperty("db.user"));
        parameter.setDbPassword(settings.getProperty("db.password"));
        parameter.setDefaultDatabaseName(settings.getProperty("db.name"));
        parameter.setSlaveId(1234L);
        parameter.setPositions(new ArrayList<>(List.of(String.format(
                "{\"journalName\":\"%s\",\"position\":%s}",
                settings.getProperty("binlog.file"), settings.getProperty("binlog.position")))));
        parameter.setConnectionCharset("UTF-8");
        parameter.setConnectionCharsetNumber((byte) 33);
        parameter.setDefaultConnectionTimeoutInSeconds(30);
        parameter.setDetectingEnable(false);
        parameter.setTsdbEnable(false); // keepTableHistory() does it
        parameter.setGtidEnable(false);
        parameter.setFilterTableError(false);
        parameter.setParallel(false);

        Canal canal = new Canal();
        canal.setId(1L);
        canal.setName(DESTINATION);
        canal.setCanalParameter(parameter);
        return canal;
    }
}
