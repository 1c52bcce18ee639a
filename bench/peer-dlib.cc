// bench: dlib's relevance vector machine behind one command line, for bench/run.sh.
//
//     peer-dlib TYPE GAMMA TRAINING_FILE TEST_FILE
//     peer-dlib --version
//
// TYPE as in svm-train: 0 two classes, 3 regression. The seconds are those of the call that trains
// and of the loop that predicts, without reading. dlib fits no constant, so that regression
// targets are centred here, as bench/peer-kernlab.R does.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <dlib/matrix.h>
#include <dlib/revision.h>
#include <dlib/svm.h>

namespace
{

using sample = dlib::matrix<double, 0, 1>;
using kernel = dlib::radial_basis_kernel<sample>;

struct data_set {
    std::vector<sample> rows;
    std::vector<double> targets;
};

double seconds_since(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// libsvm's text, rows of `inputs` values; indices above that are left out, 0 stands for what is not
// there.
data_set read_rows(const char *name, long inputs)
{
    std::ifstream in(name);
    if (!in)
        throw std::runtime_error(std::string("cannot open ") + name);

    data_set set;
    for (std::string line; std::getline(in, line);) {
        std::istringstream text(line);
        double target = 0, value;
        long index;
        char colon;
        sample row = dlib::zeros_matrix<double>(inputs, 1);
        text >> target;
        while (text >> index >> colon >> value)
            if (index >= 1 && index <= inputs)
                row(index - 1) = value;
        set.rows.push_back(row);
        set.targets.push_back(target);
    }
    return set;
}

long largest_index(const char *name)
{
    std::ifstream in(name);
    long largest = 0;

    for (std::string line; std::getline(in, line);) {
        const size_t colon = line.rfind(':');
        if (colon == std::string::npos)
            continue;
        const size_t blank = line.find_last_of(" \t", colon);
        largest = std::max(largest, std::atol(line.c_str() + blank + 1));
    }
    return largest;
}

template <typename trainer>
void report(trainer machine, double gamma, const data_set &train, const data_set &test,
            bool regression)
{
    const double centre = regression ? dlib::mean(dlib::mat(train.targets)) : 0.0;
    std::vector<double> targets;
    for (const double target : train.targets)
        targets.push_back(target - centre);

    machine.set_kernel(kernel(gamma));
    auto start = std::chrono::steady_clock::now();
    const auto function = machine.train(train.rows, targets);
    std::printf("Seconds = %g\n", seconds_since(start));
    std::printf("Relevance vectors = %ld\n", function.basis_vectors.size());

    std::vector<double> predicted;
    start = std::chrono::steady_clock::now();
    for (const sample &row : test.rows)
        predicted.push_back(function(row));
    std::printf("Predictions per second = %g\n", double(predicted.size()) / seconds_since(start));

    double squares = 0, right = 0;
    for (size_t i = 0; i < predicted.size(); i++) {
        squares += std::pow(predicted[i] + centre - test.targets[i], 2);
        right += (predicted[i] >= 0) == (test.targets[i] > 0);
    }
    if (regression)
        std::printf("Mean squared error = %g\n", squares / double(predicted.size()));
    else
        std::printf("Accuracy = %g%%\n", 100 * right / double(predicted.size()));
}

void run(bool regression, double gamma, const char *train_name, const char *test_name)
{
    const long inputs = largest_index(train_name);
    const data_set train = read_rows(train_name, inputs), test = read_rows(test_name, inputs);

    if (regression)
        report(dlib::rvm_regression_trainer<kernel>(), gamma, train, test, true);
    else
        report(dlib::rvm_trainer<kernel>(), gamma, train, test, false);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
        std::printf("%d.%d.%d\n", DLIB_MAJOR_VERSION, DLIB_MINOR_VERSION, DLIB_PATCH_VERSION);
        return 0;
    }
    if (argc != 5) {
        std::fputs("usage: peer-dlib 0|3 GAMMA TRAINING_FILE TEST_FILE\n", stderr);
        return 1;
    }
    try {
        run(std::atoi(argv[1]) == 3, std::atof(argv[2]), argv[3], argv[4]);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "peer-dlib: %s\n", error.what());
        return 1;
    }
    return 0;
}
