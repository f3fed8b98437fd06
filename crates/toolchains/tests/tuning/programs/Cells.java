import java.util.ArrayList;
import java.util.List;

public class Cells {
    public static void main(String[] arguments) {
        long cells = 0;
        for (int round = 0; round < 50; round++) {
            List<Integer> list = new ArrayList<>();
            for (int cell = 0; cell < 20000; cell++) list.add(cell + 1000);
            cells += list.size();
        }
        System.out.println(cells);
    }
}
