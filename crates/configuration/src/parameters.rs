//! The options that define parameters of a command.

use clap::Args;

use model::spec::parameters::{Parameter, ParameterError};

/// The options that say which parameters there are.
#[derive(Debug, Clone, Default, Args)]
pub struct ParameterOptions {
    /// Values of `{NAME}`: `a,b,c`, or `LOW..HIGH`
    ///
    /// Each command runs once for every value. Ranges are `LOW..HIGH`, `LOW..HIGH:STEP` and
    /// `LOW..HIGH*FACTOR`.
    #[arg(long = "param", value_name = "NAME=VALUES")]
    pub given: Vec<String>,

    /// Run each command once for every value of `{NAME}` from LOW to HIGH
    #[arg(short = 'P', long, num_args = 3, value_names = ["NAME", "LOW", "HIGH"], allow_hyphen_values = true)]
    pub parameter_scan: Vec<String>,

    /// The step of `--parameter-scan`
    #[arg(
        short = 'D',
        long,
        value_name = "STEP",
        requires = "parameter_scan",
        allow_hyphen_values = true
    )]
    pub parameter_step_size: Option<String>,

    /// Run each command once for each of these values of `{NAME}`
    #[arg(short = 'L', long, num_args = 2, value_names = ["NAME", "V1,V2,..."], action = clap::ArgAction::Append)]
    pub parameter_list: Vec<String>,
}

impl ParameterOptions {
    /// The parameters, in the order of the options.
    ///
    /// # Errors
    ///
    /// When one of them is invalid.
    pub fn parameters(&self) -> Result<Vec<Parameter>, ParameterError> {
        let scans = self.parameter_scan.chunks(3).map(|scan| {
            Parameter::scan(&scan[0], &scan[1], &scan[2], self.parameter_step_size.as_deref())
        });
        let lists = self.parameter_list.chunks(2).map(|list| Parameter::list(&list[0], &list[1]));
        let given = self.given.iter().map(|text| Parameter::given(text));
        given.chain(scans).chain(lists).collect()
    }
}
